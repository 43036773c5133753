import { expect, test } from 'vitest';
import type { ColumnKind } from '../../../src/service/fields/column.ts';
import { fieldRecord } from '../../../src/service/fields/field-record.ts';
import { elementsOf, textOf } from '../../../src/service/oql/compile-oql.ts';

const JSON_TEXT = `json_extract_string(c0, '$')`;

test.for([
  ['text', '[CAST(c0 AS VARCHAR)]', 'c0'],
  ['int', '[CAST(c0 AS VARCHAR)]', 'CAST(c0 AS VARCHAR)'],
  ['texts', 'c0', 'CAST(c0 AS VARCHAR)'],
  [
    'json',
    `CASE WHEN json_type(c0) = 'ARRAY' THEN json_extract_string(c0, '$[*]') ELSE [${JSON_TEXT}] END`,
    JSON_TEXT,
  ],
] as const)('a column stored as %s has its elements in %s and its text in %s', ([kind, elements, text]) => {
  const column = { id: 'c0', kind: kind satisfies ColumnKind, field: fieldRecord('a', 'string') };
  expect([elementsOf(column), textOf(column)]).toEqual([elements, text]);
});
