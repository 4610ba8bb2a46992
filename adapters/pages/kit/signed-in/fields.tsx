import type { ComponentChildren, JSX } from 'preact';
import { FieldError, type FormFault, wrong } from './parts.js';

interface FieldProps {
  readonly name: string;
  /** Defaults to the name; needed on a page with several fields of the same name. */
  readonly id?: string;
  readonly label: ComponentChildren;
  /** What is wrong with the form; shown here if it concerns this field. */
  readonly fault?: FormFault | null;
  /** The id of a text that also describes the field. */
  readonly hint?: string;
  /** Whether the field takes the width that the other fields leave. */
  readonly grow?: boolean;
}

/** All attributes of the control except those that follow from the field. */
type Control<Tag extends 'input' | 'textarea'> = Omit<JSX.IntrinsicElements[Tag], keyof FieldProps>;

/** The fault of one field; null without a message. */
export const faultAt = (field: string, message: string | null | undefined): FormFault | null =>
  message === null || message === undefined ? null : { field, message };

const Field = ({ field, children }: { field: FieldProps; children: ComponentChildren }) => (
  <div class={field.grow ? 'field grow' : 'field'}>
    <label for={field.id ?? field.name}>{field.label}</label>
    {children}
    <FieldError fault={field.fault ?? null} field={field.name} />
  </div>
);

/** Splits properties into those of the field and the attributes of its control. */
function split<Props extends FieldProps>({
  name,
  id = name,
  label,
  fault = null,
  hint,
  grow = false,
  ...given
}: Props) {
  const { 'aria-describedby': error, ...invalid } = wrong(fault, name);
  const texts = [error, hint].filter((text) => text !== undefined).join(' ');
  return {
    field: { name, id, label, fault, grow },
    control: { id, name, ...given, ...invalid, ...(texts === '' ? {} : { 'aria-describedby': texts }) },
  };
}

/** One line of text, or an input of another type. */
export const InputField = (props: FieldProps & Control<'input'>) => {
  const { field, control } = split(props);
  return (
    <Field field={field}>
      <input type="text" autocomplete="off" {...control} />
    </Field>
  );
};

/** Several lines of text. */
export const TextField = ({ value, ...props }: FieldProps & Control<'textarea'> & { value: string }) => {
  const { field, control } = split(props);
  return (
    <Field field={field}>
      <textarea {...control}>{value}</textarea>
    </Field>
  );
};

/** A choice between several values, each with the text shown for it. */
export const SelectField = (
  props: FieldProps & { value: string; options: readonly (readonly [value: string, text: ComponentChildren])[] },
) => {
  const {
    field,
    control: { value, options, ...control },
  } = split(props);
  return (
    <Field field={field}>
      <select {...control}>
        {options.map(([each, text]) => (
          <option key={each} value={each} selected={each === value}>
            {text}
          </option>
        ))}
      </select>
    </Field>
  );
};
