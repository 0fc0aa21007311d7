// The fields of an action's options, from its table. What is left empty is not sent.
import { useId } from 'react';
import { type ActionOptions, type ActionOptionView, type ActionView, exportFormats } from '../../../wire/index.ts';
import { withOption } from './options.ts';

export interface OptionFieldsProps {
  readonly action: ActionView;
  readonly options: ActionOptions;
  onChange(options: ActionOptions): void;
}

export function OptionFields({ action, options, onChange }: OptionFieldsProps) {
  const choices = action.options.filter(({ name }) => action.needsOneOf?.includes(name) === true);
  const rest = action.options.filter((option) => !choices.includes(option));
  if (action.options.length === 0) return null;
  return (
    <div className="option-fields">
      {choices.length === 0 ? null : (
        <fieldset>
          <legend>What to remove</legend>
          {choices.map((option) => (
            <Choice key={option.name} {...{ option, options, onChange }} />
          ))}
        </fieldset>
      )}
      {rest.map((option) => (
        <Field key={option.name} {...{ option, options, onChange }} />
      ))}
    </div>
  );
}

interface FieldProps {
  readonly option: ActionOptionView;
  readonly options: ActionOptions;
  onChange(options: ActionOptions): void;
}

/** On or off, and with its value if it has one. */
function Choice({ option, options, onChange }: FieldProps) {
  const { name, kind, title } = option;
  const isOn = options[name] !== undefined && options[name] !== false;
  const first = kind === 'flag' ? true : (option.suggested ?? (kind === 'count' ? 2000 : ''));
  return (
    <div className="choice">
      <label>
        <input
          type="checkbox"
          checked={isOn}
          onChange={(event) => onChange(withOption(options, name, event.currentTarget.checked ? first : undefined))}
        />{' '}
        {title}
      </label>
      {isOn && kind !== 'flag' ? <ValueInput {...{ option, options, onChange }} label={title} /> : null}
    </div>
  );
}

function Field({ option, options, onChange }: FieldProps) {
  const id = useId();
  const { name, kind, title } = option;
  if (kind === 'flag')
    return (
      <label className="choice">
        <input
          type="checkbox"
          checked={options[name] === true}
          onChange={(event) => onChange(withOption(options, name, event.currentTarget.checked ? true : undefined))}
        />{' '}
        {title}
      </label>
    );
  if (kind === 'format')
    return (
      <fieldset className="formats">
        <legend>{title}</legend>
        {exportFormats.map((format) => (
          <label key={format}>
            <input
              type="radio"
              name={id}
              checked={options.format === format}
              onChange={() => onChange({ ...options, format })}
            />{' '}
            {formatNames[format]}
          </label>
        ))}
      </fieldset>
    );
  return (
    <div className="field">
      <label htmlFor={id}>{title}</label>
      <ValueInput {...{ option, options, onChange }} id={id} />
    </div>
  );
}

const formatNames = { md: 'Markdown', html: 'HTML, one file', json: 'JSON' } as const;

interface ValueInputProps extends FieldProps {
  readonly id?: string;
  readonly label?: string;
}

function ValueInput({ option, options, onChange, id, label }: ValueInputProps) {
  const { name, kind, isNeeded = false } = option;
  const value = options[name];
  const placeholder = option.suggested === undefined ? undefined : String(option.suggested);
  const common = {
    id,
    'aria-label': label,
    required: isNeeded,
    placeholder,
    autoComplete: 'off',
    spellCheck: false,
  } as const;
  if (kind === 'count')
    return (
      <input
        {...common}
        type="number"
        min={0}
        max={1_000_000}
        value={typeof value === 'number' ? value : ''}
        onChange={({ currentTarget }) => {
          const count = currentTarget.valueAsNumber;
          onChange(withOption(options, name, Number.isInteger(count) ? count : undefined));
        }}
      />
    );
  return (
    <input
      {...common}
      type="text"
      maxLength={300}
      value={typeof value === 'string' ? value : ''}
      onChange={({ currentTarget }) => {
        // An empty tag removes the tag, and no names of tools mean all of them.
        const isEmptyMeant = name === 'tag' || name === 'tools';
        const typed = currentTarget.value;
        onChange(withOption(options, name, typed === '' && !isEmptyMeant ? undefined : typed));
      }}
    />
  );
}
