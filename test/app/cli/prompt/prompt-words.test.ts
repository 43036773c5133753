import { expect, test } from 'vitest';
import { completions, dotCommand } from '../../../../src/app/cli/prompt/prompt-words.ts';
import type { Catalog } from '../../../../src/etl/state/catalog/catalog.ts';

const column = (name: string) => ({ name, type: 'VARCHAR', comment: null });
const CATALOG: Catalog = [
  { name: 'mart.links', comment: null, columns: [column('origin'), column('target')] },
  { name: 'mart.pages', comment: null, columns: [column('url'), column('title')] },
];

const PROJECT = { name: 'project', type: 'VARCHAR', default: null, description: '' } as const;
const QUESTION = { name: 'q01_links', parameters: [PROJECT] };
const complete = (line: string, statement = '') => completions(line, statement, CATALOG, [QUESTION]);

test('a line that begins with a dot is a command with an argument', () => {
  expect(dotCommand('.describe  mart.pages ;')).toEqual({ name: '.describe', argument: 'mart.pages' });
  expect(dotCommand('.tables')).toEqual({ name: '.tables', argument: '' });
  expect(dotCommand('SELECT 1')).toBeNull();
  expect(dotCommand('SELECT .5')).toBeNull();
});

test('tables complete with or without their schema, in any case', () => {
  expect(complete('SELECT * FROM mart.')).toEqual([['mart.links', 'mart.pages'], 'mart.']);
  expect(complete('SELECT * FROM MART.P')).toEqual([['mart.pages'], 'MART.P']);
});

test('columns of the tables in the statement are completed, or else all columns', () => {
  expect(complete('SELECT t')).toEqual([['target', 'title'], 't']);
  expect(complete('WHERE t', 'SELECT url FROM mart.pages\n')).toEqual([['title'], 't']);
  expect(complete('WHERE pages.ti', 'FROM mart.pages AS pages\n')).toEqual([['pages.title'], 'pages.ti']);
});

test('dot commands and their arguments are completed', () => {
  expect(complete('.de')).toEqual([['.describe'], '.de']);
  expect(complete('.describe mart.l')).toEqual([['mart.links'], 'mart.l']);
  expect(complete('.question q')).toEqual([['q01_links'], 'q']);
  expect(complete('.question q01_links pr')).toEqual([['project='], 'pr']);
  expect(complete('.question nothing pr')).toEqual([[], 'pr']);
});
