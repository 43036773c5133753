import { onTestFinished } from 'vitest';
import { ServiceClient } from '../../src/client/http/service-client.ts';
import type { Json, Service } from './support.ts';

/** The typed client of a sandbox, for one test. */
export function clientOf(it: Service): ServiceClient {
  const client = new ServiceClient({ baseUrl: it.sandbox.baseUrl, accessToken: it.sandbox.accessToken });
  onTestFinished(() => client[Symbol.asyncDispose]());
  return client;
}

/** The id of the project of this name, or of the only one. */
export async function projectId(it: Service, name?: string): Promise<string> {
  const answer = await it.api(`/workspaces/${await it.workspace()}/projects?limit=1000`);
  const projects = answer.json.projects as Json[];
  const found = projects.filter((project) => name === undefined || project.name === name);
  if (found.length !== 1) throw new Error(`${found.length} projects ${name ?? ''}`);
  return String(found[0]?.id);
}

/** Sets fields of a project by the handle for tests. */
export async function patchProject(it: Service, id: string, changes: Json): Promise<Json> {
  const answer = await it.ask(`/_sandbox/projects/${id}`, { method: 'PATCH', body: changes });
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.json;
}
