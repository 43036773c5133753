import { withLineage } from '../../../operations/openlineage/with-lineage.ts';
import { run as runPipelines } from '../../../pipeline/run.ts';
import type { RunResult } from '../../../project/model/runs/run-result.ts';
import { loadPipelines } from '../../../project/settings/pipelines.ts';
import type { Invocation } from '../command.ts';
import type { LocalService } from './local-service.ts';

/** Loads all that a project of the local service has and the warehouse has not, days that were added again among it. */
export async function loadLocal(
  invocation: Invocation,
  service: LocalService,
  projectId: string,
  command: string,
): Promise<RunResult> {
  const { logger, signal, progress } = invocation;
  const settings = await invocation.settings();
  const pipelines = await loadPipelines(settings.projectDir);
  return service.load(
    settings,
    (local, changed) => {
      const request = {
        command,
        pipelines,
        selection: {
          projects: [projectId],
          crawls: null,
          from: Number.NEGATIVE_INFINITY,
          to: Number.POSITIVE_INFINITY,
        },
        override: { route: null, format: null, store: null },
        reload: false,
        changed,
      };
      return withLineage(local, command, logger, signal, () =>
        runPipelines(local, request, logger, signal, progress),
      );
    },
    signal,
  );
}
