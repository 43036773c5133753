import { type Html, html } from '../../../core/text/html.ts';
import type { PageSegment } from '../../answers/explore/page-segments.ts';
import {
  firstCauses,
  firstThings,
  firstThingsBlocks,
  firstThingsOf,
  type JudgedPages,
} from '../../answers/report/first-things.ts';
import { drawBlocks } from '../layout/addresses.ts';
import type { Readers } from '../readers/readers.ts';
import { answerFigure, type FigureAnswer, readStatement } from './answer-figure.ts';

const MOST = 100;

/** Reads the first things to do in a crawl, for all its pages or a segment. */
export function readFirstThings(
  readers: Readers,
  { isPatient, ...given }: PageSegment & { readonly crawl: string; readonly isPatient: boolean },
): Promise<FigureAnswer> {
  const condition =
    'found.crawl_id = $crawl AND found.segmentation = $segmentation AND found.segment = $segment';
  return readStatement(readers, `${firstThings(condition)}\nLIMIT ${MOST}`, {
    given,
    needs: { pages: 1 },
    isPatient,
  });
}

export function firstThingsFigure(
  answer: FigureAnswer,
  {
    name,
    most,
    judged,
    all,
  }: {
    readonly name: string;
    readonly most: number;
    readonly judged: JudgedPages;
    /** The address of the list of issues. */
    readonly all: string | null;
  },
): Html {
  const rows = firstCauses(firstThingsOf(answer.rows));
  const shown = rows.slice(0, most);
  const ranked = judged && { ...judged, parts: { ...judged.parts, sort: 'priority desc' } };
  const { table, notes } = firstThingsBlocks(shown, name, ranked);
  return answerFigure('What to do first', answer, {
    rows: html`${drawBlocks([table])}
${all === null || answer.rows.length <= shown.length ? null : html`<p><a href="${all}">All issues</a></p>`}
<details><summary>How priorities are computed</summary>${drawBlocks(notes)}</details>`,
    empty: 'No issue was found.',
  });
}
