import { z } from 'zod';
import { type Html, html } from '../../../core/text/html.ts';
import type { Typed } from '../../../core/text/typed-rows.ts';
import {
  PageSegment,
  segmentName,
  segmentParts,
  segmentsNamed,
  severalSegments,
} from '../../answers/explore/page-segments.ts';
import type { Choice } from '../layout/filter-form.ts';
import type { Readers } from '../readers/readers.ts';

const MOST_SEGMENTS = 200;
/** The segmentation by first directory, from the pages themselves. */
export const DIRECTORY = '(directory)';

export const Segments = z.array(PageSegment);
export type Segments = Typed<typeof Segments>;

/**
 * Returns the segments of a crawl, starting with the project's own segmentations. Returns none if there is no crawl.
 */
export function readSegments(readers: Readers, crawl: string | null): Promise<Segments> {
  return readers.rowsOnce(
    PageSegment,
    `SELECT segmentation, segment FROM mart.crawl_segments
     WHERE crawl_id = $crawl AND segmentation <> '(site)' AND segment IS NOT NULL
     ORDER BY segmentation = '${DIRECTORY}', segmentation, pages DESC, segment LIMIT ${MOST_SEGMENTS}`,
    new Map([['crawl', crawl]]),
  );
}

export function segmentChoice(segments: Segments): Choice & Required<Pick<Choice, 'options' | 'any'>> {
  const options = segments.map((segment) => ({
    value: segmentName(segment),
    text:
      segment.segmentation === DIRECTORY ? segment.segment : `${segment.segmentation}: ${segment.segment}`,
  }));
  return { name: 'segment', label: 'segment', any: 'all pages', options };
}

export const segmentChoices = (segments: Segments): readonly Choice[] =>
  segments.length === 0 ? [] : [segmentChoice(segments)];

/** The segment of an address. Its segmentation is null if the crawl does not have the segment; earlier crawls may. */
export interface ChosenSegment {
  readonly segment: string | null;
  readonly segmentation: string | null;
}

/** @throws CrawlhouseError `usage` for a name that several segmentations have */
export function chosenSegment(segments: Segments, query: URLSearchParams): ChosenSegment {
  const segment = query.get('segment') || null;
  if (segment === null) return { segment, segmentation: null };
  const named = segmentsNamed(segments, { segment });
  const within = named.filter(({ segmentation }) => segmentation === query.get('segmentation'));
  const found = within.length > 0 ? within : named;
  if (found.length > 1) throw severalSegments(segment, found);
  return found[0] ?? { segment, segmentation: null };
}

/** Returns the segment as links, forms and questions name it. */
export function partsOfChosen({ segment, segmentation }: ChosenSegment): { readonly segment?: string } {
  if (segment === null) return {};
  return segmentation === null ? { segment } : segmentParts({ segment, segmentation });
}

/** Returns the query of an address, with the segment as the form offers it. */
export function withSegment(query: URLSearchParams, chosen: ChosenSegment): URLSearchParams {
  const next = new URLSearchParams(query);
  if (chosen.segment === null || chosen.segmentation === null) return next;
  for (const name of ['segment', 'segmentation']) next.delete(name);
  for (const [name, value] of Object.entries(partsOfChosen(chosen))) next.set(name, value);
  return next;
}

/** Returns a notice if the crawl does not have the chosen segment. */
export const segmentNotice = ({ segment, segmentation }: ChosenSegment): Html | null =>
  segment === null || segmentation !== null
    ? null
    : html`<p class="notice">The last crawl has no segment ${segment}. Earlier crawls may have it.</p>`;
