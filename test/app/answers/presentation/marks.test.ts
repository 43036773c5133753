import { expect, test } from 'vitest';
import {
  severityMark,
  severityTone,
  statusMark,
  timeText,
  webLink,
} from '../../../../src/app/answers/presentation/marks.ts';

test('a status, a severity and a time have their color and words', () => {
  expect(['done', 'failed', 'running'].map((status) => statusMark(status).text)).toEqual([
    '<span class="good">done</span>',
    '<span class="bad">failed</span>',
    '<span class="warn">running</span>',
  ]);
  expect(['high', 'medium', 'low'].map(severityTone)).toEqual(['bad', 'warn', 'plain']);
  expect([severityMark('').text, severityMark('high').text]).toEqual(['', '<span class="bad">high</span>']);
  expect(timeText(null).text).toBe('–');
  expect(timeText('2026-03-01T03:04:05Z').text).toContain('>2026-03-01 03:04</time>');
});

test('a link only leads to web pages', () => {
  expect(webLink('HTTPS://a.example/').text).toContain('<a href="HTTPS://a.example/"');
  expect(webLink('javascript:alert(1)').text).toBe('javascript:alert(1)');
});
