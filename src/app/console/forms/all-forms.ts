import { ALERT_FORMS } from './alert-forms.ts';
import { TICKET_FORM } from './change-ticket-form.ts';
import { CONNECT_FORMS } from './connect-forms.ts';
import type { ConsoleForm } from './console-form.ts';
import { CRAWL_FORM } from './crawl-form.ts';
import { CRAWLING_FORMS } from './crawling-forms.ts';
import { KEEP_QUESTION_FORM } from './keep-question-form.ts';
import { NOTE_FORM } from './note-form.ts';
import { REVOKE_FORM } from './revoke-form.ts';
import { SCHEDULE_FORM } from './schedule-form.ts';
import { SEGMENTS_FORM } from './segments-form.ts';
import { SETTINGS_FORM } from './settings-form.ts';
import { SETTINGS_TEST_FORM } from './settings-test-form.ts';
import { SHARE_FORM } from './share-form.ts';
import { START_FORM } from './start-form.ts';
import { ADD_FORM, UPLOAD_FORM } from './upload-forms.ts';

export const FORMS: readonly ConsoleForm[] = [
  START_FORM,
  KEEP_QUESTION_FORM,
  NOTE_FORM,
  SCHEDULE_FORM,
  SEGMENTS_FORM,
  SHARE_FORM,
  REVOKE_FORM,
  UPLOAD_FORM,
  ADD_FORM,
  TICKET_FORM,
  SETTINGS_FORM,
  SETTINGS_TEST_FORM,
  CRAWL_FORM,
  ...CRAWLING_FORMS,
  ...CONNECT_FORMS,
  ...ALERT_FORMS,
];
