/** Units that were loaded under another filter or other fields than those of their pipeline now. */
export interface PipelineDrift {
  readonly dataset: string;
  readonly changed: readonly ('filter' | 'fields')[];
  /** Those that can be loaded again. */
  readonly units: number;
  /** Those that can't: their crawls are archived or gone. */
  readonly archived: number;
  /** Loads them again; null where none can be. */
  readonly command: string | null;
}

/** `crawl_pages: its filter has changed since 12 units were loaded` */
export function describeDrift({ dataset, changed, units, archived }: PipelineDrift): string {
  const what = `${dataset}: its ${changed.join(' and ')} ${changed.length > 1 || changed[0] === 'fields' ? 'have' : 'has'} changed`;
  const all = units + archived;
  const rest = archived === 0 ? '' : `; the crawls of ${archived} are archived or gone`;
  return `${what} since ${all} ${all === 1 ? 'unit was' : 'units were'} loaded${rest}`;
}

/** What to do about it. */
export function driftHint({ dataset, command }: PipelineDrift): string {
  return (
    command ?? `unarchive: unarchive in the pipeline of ${dataset} lets a backfill --reload restore them`
  );
}
