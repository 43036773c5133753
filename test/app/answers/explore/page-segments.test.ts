import { expect, test } from 'vitest';
import type { AskCrawls } from '../../../../src/app/answers/explore/chosen-crawls.ts';
import {
  segmentName,
  segmentOf,
  segmentParts,
  WHOLE_SITE,
} from '../../../../src/app/answers/explore/page-segments.ts';

const KNOWN = [
  { segmentation: '(site)', segment: '(site)' },
  { segmentation: 'line', segment: 'other' },
  { segmentation: 'template', segment: 'other' },
  { segmentation: 'template', segment: 'a:b' },
  { segmentation: 'a', segment: 'b' },
  { segmentation: '(directory)', segment: '/lamps/' },
];
const ask: AskCrawls = async () => KNOWN as never;
const named = (segment: string, segmentation?: string) =>
  segmentOf(ask, { segment, segmentation }, ['c', null]);

test('a segment is found by its name with its segmentation, even if the names contain colons', async () => {
  for (const one of KNOWN) expect(await named(segmentName(one))).toEqual(one);
});

test('a segment name alone is enough if only one segmentation has it, or if the segmentation is given', async () => {
  expect(await named('/lamps/')).toEqual({ segmentation: '(directory)', segment: '/lamps/' });
  expect(await named('b')).toEqual({ segmentation: 'a', segment: 'b' });
  expect(await named('other', 'template')).toEqual({ segmentation: 'template', segment: 'other' });
});

test('a segment name in several segmentations is refused, with the choices', async () => {
  await expect(named('other')).rejects.toMatchObject({
    message: 'several segmentations have a segment other',
    hint: 'name the segmentation too: line:other or template:other',
  });
});

test('an unknown segment name is refused, with the names in the requested segmentation', async () => {
  await expect(named('othr')).rejects.toMatchObject({
    message: 'crawl c has no segment othr',
    hint: 'did you mean other? segments: other, a:b, b, /lamps/',
  });
  await expect(named('lamps', '(directory)')).rejects.toMatchObject({ hint: 'segments: /lamps/' });
});

test('an address contains the segment, and nothing for the whole site', () => {
  expect(segmentParts({ segmentation: 'line', segment: 'other' })).toEqual({ segment: 'line:other' });
  expect(segmentParts(WHOLE_SITE)).toEqual({});
});
