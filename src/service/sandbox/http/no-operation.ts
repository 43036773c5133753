import { ENDPOINTS } from '../../api/endpoints.ts';
import { Refusal } from '../resources/refusal.ts';

const PREFIX = '/api/v2';

/** Refuses a request that is not an operation of the service, and names the methods that the path has. */
export function noOperation(method: string, url: string): Refusal {
  const [path = ''] = url.slice(PREFIX.length).split('?');
  const known = Object.values(ENDPOINTS).filter((one) => patternOf(one.path).test(path));
  const methods = [...new Set(known.map((one) => one.method))].join(', ');
  const hint = methods === '' ? '' : `: the path takes ${methods}`;
  return new Refusal('resource_not_found', `${method} ${url} does not exist${hint}`);
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`);
}
