import type { ComponentChildren } from 'preact';
import type { AuditDetail } from '../../../../src/domain/audit.js';
import type { ServiceError } from '../../../../src/domain/errors.js';
import { detailText } from './audit-text.js';

/** A time to the minute or second. Under a heading that ends in "(UTC)", local-times.js shows it in the reader's zone. */
export const When = ({ at, seconds = false }: { at: string; seconds?: boolean }) => (
  <time dateTime={at} title={at} class={`when minute${seconds ? ' second' : ''}`}>
    {at.slice(0, 10)} {at.slice(11, seconds ? 19 : 16)}
  </time>
);

/** A request id on one line, cut off if there is little room; a click selects all of it. */
export const RequestId = ({ id }: { id: string }) => (
  <code class="request-id" title={id}>
    {id}
  </code>
);

/** Shows only the day. */
export const Day = ({ at }: { at: string }) => (
  <time dateTime={at} class="when">
    {at.slice(0, 10)}
  </time>
);

export type Tone = 'ok' | 'warn' | 'bad' | 'plain';

export const Badge = ({ tone, children }: { tone: Tone; children: ComponentChildren }) => (
  <span class={`badge tone-${tone}`}>{children}</span>
);

/** A notice before the rest of the page; screen readers announce bad ones first, too. */
export const Notice = ({ tone, title, children }: { tone: Tone; title: string; children?: ComponentChildren }) => (
  <div class={`notice tone-${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
    <p>
      <strong>{title}</strong> {children}
    </p>
  </div>
);

/** A card with a part of a page and its heading. */
export const Card = (props: {
  id: string;
  title: string;
  lead?: ComponentChildren;
  wide?: boolean;
  aside?: ComponentChildren;
  children: ComponentChildren;
}) => (
  <section class={props.wide ? 'card wide' : 'card'} aria-labelledby={props.id}>
    <div class="card-head">
      <h2 id={props.id}>{props.title}</h2>
      {props.aside}
    </div>
    {props.lead === undefined ? null : <p class="soft">{props.lead}</p>}
    {props.children}
  </section>
);

/** Columns with figures are aligned right. */
export interface Column {
  readonly title: string;
  readonly numeric?: boolean;
}

/** The cells are in the order of the columns; the first one is the row's header. */
export interface Row {
  readonly key: string;
  readonly cells: readonly ComponentChildren[];
  /** Whether this is the row that concerns the reader. */
  readonly here?: boolean;
}

const Cells = ({ columns, cells, from = 0 }: { columns: readonly Column[]; from?: number } & Pick<Row, 'cells'>) => (
  <>
    {cells.map((cell, index) => {
      const { title = '', numeric } = columns[from + index] ?? {};
      return (
        <td key={title} class={numeric ? 'num' : 'text'} data-column={title}>
          {cell}
        </td>
      );
    })}
  </>
);

/**
 * A table that scrolls in its own box. On a phone each row is a list of its cells, with the columns' titles before them
 * (`data-column`), so that nothing is off screen.
 */
export const DataTable = (props: {
  caption: string;
  columns: readonly Column[];
  rows: readonly Row[];
  /** Long tables also scroll vertically. */
  tall?: boolean;
  /** The last row: its header spans the first columns, and the cells follow. */
  total?: { readonly span: number; readonly cells: readonly ComponentChildren[] };
}) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard (WCAG 2.1.1)
  <section class={props.tall ? 'scroll tall' : 'scroll'} tabIndex={0} aria-label={props.caption}>
    <table class="data">
      <caption>{props.caption}</caption>
      <thead>
        <tr>
          {props.columns.map(({ title, numeric }) => (
            <th key={title} scope="col" class={numeric ? 'num' : 'text'}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {props.rows.map(({ key, cells: [header, ...cells], here }) => (
          <tr key={key} {...(here ? { class: 'here' } : {})}>
            <th scope="row">{header}</th>
            <Cells columns={props.columns} cells={cells} from={1} />
          </tr>
        ))}
      </tbody>
      {props.total === undefined ? null : (
        <tfoot>
          <tr>
            <th scope="row" colSpan={props.total.span}>
              Total
            </th>
            <Cells columns={props.columns} cells={props.total.cells} from={props.total.span} />
          </tr>
        </tfoot>
      )}
    </table>
  </section>
);

/** The facts of a change; nothing if it has none. */
export const Details = ({ detail }: { detail: AuditDetail }) => {
  const text = detailText(detail);
  return text === '' ? null : <bdi class="detail">{text}</bdi>;
};

/** A bar that shows how much of a limit is used; the same figures are beside it as text. */
export const Bar = ({ label, value, max }: { label: string; value: number; max: number }) => (
  <meter class="bar" aria-label={label} min={0} max={Math.max(max, 1)} high={max * 0.8} optimum={0} value={value}>
    {label}
  </meter>
);

/** What is wrong with a form, shown beside it. */
export const FormError = ({ id, message }: { id: string; message: string | null }) =>
  message === null ? null : (
    <p class="form-error" id={id} role="alert">
      {message}
    </p>
  );

/** What is wrong with one field of a form, or, without a field, with the whole form. */
export interface FormFault {
  readonly field?: string | undefined;
  readonly message: string;
}

export const faultOf = ({ message, detail: { param } }: ServiceError): FormFault => ({ field: param, message });

/** Attributes that mark the invalid field and connect it with the message beside it. */
export const wrong = (fault: FormFault | null, field: string) =>
  fault?.field === field ? { 'aria-invalid': 'true' as const, 'aria-describedby': `${field}-error` } : {};

/** The message beside its field. */
export const FieldError = ({ fault, field }: { fault: FormFault | null; field: string }) => (
  <FormError id={`${field}-error`} message={fault?.field === field ? fault.message : null} />
);

/** The message about a fault, if it belongs to none of the form's fields. */
export const unplaced = (fault: FormFault | null, fields: readonly string[]): string | null =>
  fault === null || (fault.field !== undefined && fields.includes(fault.field)) ? null : fault.message;

/** The link to a file, shown beside the heading of its content. */
export const CsvLink = ({ href }: { href: string }) => (
  <a class="button small" href={href}>
    Download CSV
  </a>
);

/** The text if there is nothing to show. */
export const Nothing = ({ children }: { children: ComponentChildren }) => <p class="nothing">{children}</p>;
