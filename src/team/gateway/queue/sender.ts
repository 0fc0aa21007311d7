// Whose request it is, as the store knows it by the key.

export interface Sender {
  readonly tenant: number;
  readonly person: number;
  readonly tenantName: string;
  readonly personName: string;
  readonly groups: readonly string[];
}
