import { expect, test } from 'vitest';
import { dataExportStage } from '../../../src/client/resources/data-exports.ts';

test.each([
  ['done', ['DONE', 'complete', 'Completed', 'finished', 'success', 'successful']],
  ['failed', ['FAILED', 'error', 'cancelled', 'ABORTED', 'expired', 'upload_failed']],
  ['open', ['REQUESTED', 'EXPORTING', 'UPLOADING', 'not_done_yet', '']],
] as const)('an export is %s in the states %j', (stage, states) => {
  for (const state of states) expect([state, dataExportStage(state)]).toEqual([state, stage]);
});
