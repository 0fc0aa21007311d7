// The StructuredOutput tool: the model gives its final answer as an input that matches the schema of the caller. An
// input that does not match is a failed call that says what is wrong, so that the model tries again.
import type { ErrorObject, ValidateFunction } from 'ajv';
import { UserError } from '../../base/errors/index.ts';
import { asObject, asString, isObject, type JsonObject, type JsonValue } from '../../base/json/index.ts';
import { failedOutcome, type StructuredOutput, type Tool } from '../contract/index.ts';

/** The schema is compiled once. A schema that is not one is a mistake of the caller. */
export async function makeStructuredOutput(schema: JsonObject, maxAttempts: number): Promise<StructuredOutput> {
  const { $schema, ...plain } = schema;
  const check = await compile(plain, asString($schema) ?? '');
  return new OutputCollector(plain, check, maxAttempts);
}

class OutputCollector implements StructuredOutput {
  readonly tool: Tool;
  readonly maxAttempts: number;
  value: JsonObject | undefined;
  problem: string | undefined;
  failures = 0;

  constructor(schema: JsonObject, check: ValidateFunction, maxAttempts: number) {
    this.maxAttempts = maxAttempts;
    this.tool = {
      name: 'StructuredOutput',
      description:
        'Gives your final answer in the format that was asked for. Call it exactly once, at the end, when everything ' +
        'else is done; the turn ends with it.',
      inputSchema: { type: 'object', ...schema },
      parse: (input) => (isObject(input) ? { input } : { problem: 'The input must be an object.' }),
      isReadOnly: () => true,
      run: async (input) => this.#take(input, check),
    };
  }

  start(): void {
    this.value = undefined;
    this.problem = undefined;
    this.failures = 0;
  }

  #take(input: JsonObject, check: ValidateFunction) {
    if (check(input) === true) {
      this.value = input;
      const text = 'Structured output provided successfully';
      return { content: text, isError: false, stored: text };
    }
    this.failures++;
    this.problem = `Output does not match required schema: ${describe(check.errors ?? [])}`;
    return failedOutcome(this.problem);
  }
}

async function compile(schema: JsonObject, dialect: string): Promise<ValidateFunction> {
  const isOld = !/2019-09|2020-12/.test(dialect);
  const { type } = schema;
  if (type !== undefined && type !== 'object')
    throw new UserError('the JSON Schema of the output does not describe an object', 'put the value into a property');
  const options = { strict: false, allErrors: true, validateFormats: false, logger: false } as const;
  try {
    if (isOld) {
      const { default: ajv } = await import('ajv');
      return new ajv.Ajv(options).compile(schema);
    }
    const { default: ajv } = await import('ajv/dist/2020.js');
    return new ajv.Ajv2020(options).compile(schema);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UserError(`the JSON Schema of the output is not valid: ${why}`, 'correct it');
  }
}

const maxProblems = 20;

function describe(errors: readonly ErrorObject[]): string {
  const lines = errors.slice(0, maxProblems).map(({ instancePath, message, params }) => {
    const extra = asString(asObject(params as JsonValue)?.additionalProperty); // plain data of ajv
    return `${instancePath || 'root'}: ${message ?? 'is wrong'}${extra === undefined ? '' : ` ('${extra}' is not allowed)`}`;
  });
  return lines.join(', ');
}
