import type { FastifyInstance } from 'fastify';
import {
  CREATE_CRAWL_CONFIG,
  DELETE_CRAWL_CONFIG,
  GET_CRAWL_CONFIG,
  LIST_CRAWL_CONFIGS,
  UPDATE_CRAWL_CONFIG,
  VALIDATE_CUSTOM_WEBHOOK,
} from '../../../client/resources/crawl-configs.ts';
import { checkConfig, storedConfig } from '../../configs/check-config.ts';
import { configOf, isUnderWay } from '../../crawls/launched-crawl.ts';
import { isTaken } from '../../notify/notifier.ts';
import { find } from '../../resources/find.ts';
import { duplicateEntry, invalidParameter, notFound, wrongState } from '../../resources/refusal.ts';
import { publicView, type Resources, resourceId, type StoredResource } from '../../resources/resources.ts';
import { ofProject, refreshProject } from '../../resources/seed.ts';
import { type Context, serve } from '../serve.ts';

/** Crawl configurations (api-spec.md §4.7). */
export function crawlConfigRoutes(api: FastifyInstance, context: Context): void {
  const { resources, crawlClock, notifier, clock } = context;
  const projectOf = ({ project_id }: { project_id: string }): StoredResource =>
    find(resources, 'projects', project_id);

  serve(api, LIST_CRAWL_CONFIGS, ({ parameters }) => ({
    crawl_configs: resources.list('crawl_configs', projectOf(parameters).id).map(publicView),
  }));
  serve(api, GET_CRAWL_CONFIG, ({ parameters }) => {
    const project = projectOf(parameters);
    return {
      crawl_config: publicView(find(resources, 'crawl_configs', parameters.crawl_config_id, project.id)),
    };
  });
  serve(api, CREATE_CRAWL_CONFIG, ({ parameters, body: { crawl_config } }) => {
    const project = projectOf(parameters);
    const { name } = crawl_config;
    if (named(resources, project, name) !== undefined)
      throw duplicateEntry('name', `the project has a configuration ${JSON.stringify(name)} already`);
    checkConfig(resources, project, crawl_config);
    const count = Number(project._configs ?? 0);
    const config = storedConfig(resourceId('crawl_config', project.id, name, count), crawl_config);
    resources.transaction(() => {
      resources.put('projects', '', { ...project, _configs: count + 1 });
      resources.put('crawl_configs', project.id, config);
      refreshProject(resources, project.id);
    });
    return { crawl_config: publicView(config) };
  });
  serve(api, UPDATE_CRAWL_CONFIG, ({ parameters, body: { crawl_config } }) => {
    const project = projectOf(parameters);
    const { id, name } = crawl_config;
    // The path names no configuration (spec-notes.md 17).
    const known =
      id === undefined ? named(resources, project, name) : find(resources, 'crawl_configs', id, project.id);
    if (known === undefined) throw notFound(`the crawl configuration ${JSON.stringify(name)}`);
    if (known.name !== name)
      throw invalidParameter('name', 'immutable', `stays ${JSON.stringify(known.name)}`);
    checkConfig(resources, project, crawl_config);
    const config = storedConfig(known.id, crawl_config, known);
    resources.put('crawl_configs', project.id, config);
    return { crawl_config: publicView(config) };
  });
  serve(api, DELETE_CRAWL_CONFIG, ({ parameters }) =>
    crawlClock.alone(() => {
      const project = projectOf(parameters);
      const config = find(resources, 'crawl_configs', parameters.crawl_config_id, project.id);
      refuseInUse(resources, project, config);
      resources.transaction(() => {
        resources.delete('crawl_configs', config.id);
        for (const scheduled of resources.list('scheduled_crawls', project.id))
          if (scheduled.config_id === config.id) resources.delete('scheduled_crawls', scheduled.id);
        refreshProject(resources, project.id);
      });
    }),
  );
  serve(api, VALIDATE_CUSTOM_WEBHOOK, async ({ parameters, body }) => {
    const { id } = projectOf(parameters);
    const answer = await notifier.test(id, body.url, body.secret ?? undefined, clock.now());
    return { success: isTaken(answer), status_code: answer.status_code };
  });
}

function named(resources: Resources, project: StoredResource, name: string): StoredResource | undefined {
  return resources.list('crawl_configs', project.id).find((config) => config.name === name);
}

/** Refuses to delete a configuration that is in use or will be used. */
function refuseInUse(resources: Resources, project: StoredResource, config: StoredResource): void {
  const crawl = ofProject(resources.list('crawls'), project.id)
    .filter(isUnderWay)
    .find((resource) => configOf(resource) === config.id);
  const scheduled = resources
    .list('scheduled_crawls', project.id)
    .find((resource) => resource.config_id === config.id && resource._next !== undefined);
  const user = crawl ? `the crawl ${crawl.id}` : scheduled && `the scheduled crawl ${scheduled.id}`;
  if (user !== undefined) throw wrongState(`${user} uses the configuration ${config.id}`);
}
