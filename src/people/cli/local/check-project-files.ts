import { loadQuestions } from '../../../pipeline/transform/questions/questions.ts';
import { loadNotes } from '../../../project/settings/notes.ts';
import { loadPipelines } from '../../../project/settings/pipelines.ts';
import { loadSchedules } from '../../../project/settings/schedules.ts';
import { loadSegmentations } from '../../../project/settings/segments.ts';
import type { Settings } from '../../../project/settings/settings.ts';
import { loadModels } from '../../../project/sql/models/load-models.ts';
import { sqlFolders } from '../../../project/sql/models/sql-folders.ts';
import { checkSegments } from '../../../project/sql/plan/check-segments.ts';
import { tableColumns } from '../../../state/catalogue/catalog.ts';
import { readPublished } from '../../../state/catalogue/published/read-published.ts';

/**
 * Reads the files that a project is loaded with before hours of work, which a mistake in them would waste.
 *
 * @throws CrawlhouseError naming file, line, key and what would work
 */
export async function checkProjectFiles(settings: Settings): Promise<void> {
  const { projectDir } = settings;
  const pipelines = await loadPipelines(projectDir);
  await loadSchedules(
    projectDir,
    pipelines.map(({ dataset }) => dataset),
  );
  await loadNotes(projectDir);
  await checkPublishedSegments(settings);
  const folders = sqlFolders(settings);
  await loadModels(folders);
  await loadQuestions(folders);
}

async function checkPublishedSegments(settings: Settings): Promise<void> {
  const segmentations = await loadSegmentations(settings.projectDir);
  if (segmentations.length === 0) return;
  await readPublished(settings, async (connection) => {
    const columns = (await tableColumns(connection, ['mart'])).get('mart.pages');
    if (columns !== undefined)
      await checkSegments(connection, segmentations, new Map(columns.map(({ name, type }) => [name, type])));
  });
}
