import type { FieldRecord } from '../../api/fields.ts';
import { fieldRecord } from './field-record.ts';

/** Fields of structured data items: nothing public shows them, so they are ours. */
export const STRUCTURED_DATA_CATALOGUE: readonly FieldRecord[] = [
  fieldRecord('url', 'string'),
  fieldRecord('format', 'enum', 'one', ['json-ld', 'rdfa', 'microdata']),
  fieldRecord('type', 'string'),
  fieldRecord('position', 'natural'),
  fieldRecord('valid', 'bool'),
  fieldRecord('missing_properties', 'string', 'many'),
  fieldRecord('item', 'object'),
];
