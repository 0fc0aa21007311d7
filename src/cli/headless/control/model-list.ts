// The models that a program may offer its user, as `initialize` and `list_models` describe them.
import type { JsonObject } from '../../../base/json/index.ts';
import { modelFactsOf, modelRowOf, resolveModelAlias, shortModelName } from '../../../models/index.ts';

const aliases = ['default', 'opus', 'fable', 'sonnet', 'haiku'] as const;

export function listModels(): readonly JsonObject[] {
  return aliases.map((value) => {
    const model = resolveModelAlias(value);
    const name = shortModelName(model);
    const isDefault = value === 'default';
    return {
      value,
      resolvedModel: model,
      displayName: isDefault ? 'Default (recommended)' : name.replace(/ [\d.]+$/, ''),
      description: [isDefault ? `The default model (${name})` : name, ...pricesOf(model)].join(' · '),
      ...effortOf(model),
      supportsAdaptiveThinking: modelFactsOf(model)?.thinking === 'adaptive',
    };
  });
}

function pricesOf(model: string): readonly string[] {
  const price = modelRowOf(model)?.prices.at(-1);
  return price === undefined ? [] : [`$${price.input}/$${price.output} per million tokens`];
}

/** The levels of Claude Code 2.1.325 for models that think as much as they need. */
const levels = ['low', 'medium', 'high', 'xhigh', 'max'];

function effortOf(model: string): JsonObject {
  return modelRowOf(model)?.defaultEffort === undefined
    ? { supportsEffort: false }
    : { supportsEffort: true, supportedEffortLevels: levels };
}
