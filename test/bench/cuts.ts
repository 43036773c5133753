/** How a body of lines ends in the middle. */
export interface Cut {
  /** The last record that is sent. */
  readonly record: 'whole' | 'broken';
  readonly connection: 'kept' | 'closed';
  /** Whether the answer names its whole length. */
  readonly length: boolean;
}

/** Bytes of a record that is broken. */
export const BROKEN_BYTES = 7;

export const CUTS: Readonly<Record<string, Cut>> = {
  'shorter than its content-length': { record: 'broken', connection: 'closed', length: true },
  'no last chunk': { record: 'broken', connection: 'closed', length: false },
  'ends in a record': { record: 'broken', connection: 'kept', length: false },
  'ends behind a record': { record: 'whole', connection: 'kept', length: false },
};

export function cutOf(name: string): Cut {
  const cut = CUTS[name];
  if (cut === undefined) throw new Error(`${name} is none of ${Object.keys(CUTS).join(', ')}`);
  return cut;
}
