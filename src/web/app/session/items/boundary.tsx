// An error in drawing one part must not break the whole page.
import { Component } from 'react';

export interface BoundaryProps {
  readonly what: string;
  readonly children: React.ReactNode;
}

export class Boundary extends Component<BoundaryProps, { readonly problem: string | null }> {
  override readonly state: { readonly problem: string | null } = { problem: null };

  static getDerivedStateFromError(error: unknown): { readonly problem: string } {
    return { problem: error instanceof Error ? error.message : String(error) };
  }

  override render(): React.ReactNode {
    if (this.state.problem === null) return this.props.children;
    return (
      <p className="problem">
        {this.props.what} cannot be drawn ({this.state.problem}). The raw lines can still be read with{' '}
        <code>clew cat</code>.
      </p>
    );
  }
}
