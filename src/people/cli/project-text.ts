/** A project for people: its name beside its id, or the id alone where no name is known. */
export function projectText(id: string, names: ReadonlyMap<string, string>): string {
  const name = names.get(id);
  return name === undefined ? id : `${name} (${id})`;
}
