import type { Change, Moment } from './kills.ts';

/** What a kill met. */
export interface Kill {
  readonly moment: Moment;
  /** The last state change before it. */
  readonly last: Change;
}

/** Kills by kind, by the state change that came last before them, and by what it belonged to. */
export function killSummary(kills: readonly Kill[]): string {
  const counted = (of: (kill: Kill) => string): string =>
    [...Map.groupBy(kills, of)]
      .sort(([, one], [, other]) => other.length - one.length)
      .map(([name, found]) => `${name} ${found.length}`)
      .join(', ');
  return [
    `by moment: ${counted(({ moment }) => MOMENTS[moment.kind])}`,
    `by the last state written: ${counted(({ last }) => (last.what.startsWith('export ') ? `export ${last.to}` : last.to))}`,
    `by what it belonged to: ${counted(({ last }) => last.what.split('/')[0] ?? '')}`,
  ].join('\n');
}

const MOMENTS: Readonly<Record<Moment['kind'], string>> = {
  after: 'right after a state change',
  before: 'right before the next one',
  file: 'at a change of a file',
  time: 'at a random time',
};
