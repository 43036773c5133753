import type { FieldRecord } from '../../api/fields.ts';
import { fieldRecord } from './field-record.ts';

const PARTS: readonly (readonly [suffix: string, type: string])[] = [
  ['ext', 'string'],
  ['first_path', 'string'],
  ['has_params', 'bool'],
  ['host', 'string'],
  ['path', 'string'],
  ['querystring_key', 'string'],
  ['querystring_keyvalue', 'string'],
];

/** Fields of links (wire-facts.md, "link fields"; their types are ours). */
export const LINK_CATALOGUE: readonly FieldRecord[] = [
  fieldRecord('origin', 'string'),
  fieldRecord('target', 'string'),
  fieldRecord('anchor', 'string'),
  fieldRecord('follow', 'bool'),
  fieldRecord('intern', 'bool'),
  fieldRecord('target_status', 'natural'),
  fieldRecord('target_status_range', 'enum', 'one', ['ok', 'redirect', 'client_error', 'server_error']),
  fieldRecord('target_fetched', 'bool'),
  fieldRecord('juice', 'float'),
  ...['origin', 'target'].flatMap((end) =>
    PARTS.map(([suffix, type]) => fieldRecord(`${end}_${suffix}`, type)),
  ),
];
