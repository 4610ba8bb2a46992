import type { ComponentChildren } from 'preact';

/** A time to the second, to compare with a clock. */
export const TimeText = ({ at }: { at: string }) => (
  <time dateTime={at}>{at.replace('T', ' ').replace(/(\.\d+)?Z$/, ' UTC')}</time>
);

/** A line in a list of facts; if it is wide, its value is below its name. */
export const Fact = ({ name, wide, children }: { name: string; wide?: boolean; children: ComponentChildren }) => (
  <div {...(wide ? { class: 'wide' } : {})}>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);
