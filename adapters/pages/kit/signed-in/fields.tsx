import type { ComponentChildren, JSX } from 'preact';
import { FieldError, type FormFault, wrong } from './parts.js';

interface FieldProps {
  readonly name: string;
  /** By default the name: for a page with several fields of one name. */
  readonly id?: string;
  readonly label: ComponentChildren;
  /** What is wrong with the form: said here if it is this field. */
  readonly fault?: FormFault | null;
  /** The id of a text that describes the field as well. */
  readonly hint?: string;
  /** Takes the width that the other fields leave. */
  readonly grow?: boolean;
}

/** All attributes of the control but those that follow from the field. */
type Control<Tag extends 'input' | 'textarea'> = Omit<JSX.IntrinsicElements[Tag], keyof FieldProps>;

/** What is wrong with one field, if anything is. */
export const faultAt = (field: string, message: string | null | undefined): FormFault | null =>
  message === null || message === undefined ? null : { field, message };

const Field = ({ field, children }: { field: FieldProps; children: ComponentChildren }) => (
  <div class={field.grow ? 'field grow' : 'field'}>
    <label for={field.id ?? field.name}>{field.label}</label>
    {children}
    <FieldError fault={field.fault ?? null} field={field.name} />
  </div>
);

/** Splits the properties of a field: its own, and the attributes of its control. */
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

/** One of several values, each with the text that is shown for it. */
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
