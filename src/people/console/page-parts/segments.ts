import { z } from 'zod';
import { type Html, html } from '../../../core/text/html.ts';
import type { Readers } from '../desk/desk.ts';
import type { Choice } from '../layout/filter-form.ts';

const MOST_SEGMENTS = 200;
/** The segmentation that the pages themselves have. */
export const DIRECTORY = '(directory)';

export const Segments = z.array(z.strictObject({ segmentation: z.string(), segment: z.string() }));
export type Segments = z.infer<typeof Segments>;

/** The segments of a crawl, those of its own segmentations first; none without a crawl. */
export function readSegments(desk: Readers, crawl: string | null): Promise<Segments> {
  return desk.rowsOnce(
    `SELECT segmentation, segment FROM mart.crawl_segments
     WHERE crawl_id = $crawl AND segmentation <> '(site)' AND segment IS NOT NULL
     ORDER BY segmentation = '${DIRECTORY}', segmentation, pages DESC, segment LIMIT ${MOST_SEGMENTS}`,
    new Map([['crawl', crawl]]),
  );
}

export function segmentChoice(segments: Segments): Choice & Required<Pick<Choice, 'options' | 'any'>> {
  const options = segments.map(({ segmentation, segment }) => ({
    value: segment,
    text: segmentation === DIRECTORY ? segment : `${segmentation}: ${segment}`,
  }));
  return { name: 'segment', label: 'segment', any: 'all pages', options };
}

/** A choice of the segments of the segmentation that an address names, or of all; none where there are none. */
export function segmentChoices(segments: Segments, query: URLSearchParams): readonly Choice[] {
  const within = query.get('segmentation') || null;
  return segments.length === 0
    ? []
    : [segmentChoice(segments.filter(({ segmentation }) => within === null || segmentation === within))];
}

/** The segmentation of a segment; null where the crawl does not have it: it may be of any. */
export function segmentationOf(segments: Segments, segment: string): string | null {
  return segments.find((one) => one.segment === segment)?.segmentation ?? null;
}

/** The meaning of a choice of segment, where it needs words; `first` says what is of the first segmentation that has it. */
export function segmentNotice(segments: Segments, segment: string | null, first: string): Html | null {
  const own = segments.filter((one) => one.segment === segment).map(({ segmentation }) => segmentation);
  if (segment === null || own.length === 1) return null;
  return html`<p class="notice">${
    own.length === 0
      ? `The last crawl has no segment ${segment}. Earlier crawls may have it.`
      : `The segment ${segment} is in several segmentations: ${own.join(', ')}. ${first} of ${own[0]}, the other figures of a page in any of them.`
  }</p>`;
}
