import { type Line, line } from '../presentation/blocks.ts';

/** Returns the notice above an answer about a crawl that does not cover the whole site (mart.crawls.scope_note). */
export function scopeLines(note: string | null): readonly Line[] {
  return note === null ? [] : [line(note, 'notice')];
}
