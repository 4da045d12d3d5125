import { addressOf } from './address'
import { type ApiFile, type RequestOptions, request } from './client'
import { operations } from './operations'
import type { components } from './schema'

type Calls = components['schemas']['Calls']

/** The id of a documented call, in camelCase: `clientUserList`. */
export type OperationId = keyof Calls & keyof typeof operations

/** What a call takes in one place, `undefined` if it takes nothing there. */
type Taken<K extends OperationId, Where extends string> =
  Calls[K] extends Record<Where, infer T extends object> ? T : undefined

/** A part that has to be given is required; one that may be left out, or that has only optional fields, is optional. */
type Part<Name extends string, T> = [T] extends [undefined]
  ? { [K in Name]?: undefined }
  : Record<string, never> extends T
    ? { [K in Name]?: T }
    : { [K in Name]: T }

/** A value in a path is text in the end; ids arrive as either. */
type PathOf<K extends OperationId> = { [N in keyof Taken<K, 'path'>]: string | number }

/** Path, query and body of a call, as the document says. */
export type CallParts<K extends OperationId> = Part<
  'path',
  [Taken<K, 'path'>] extends [undefined] ? undefined : PathOf<K>
> &
  Part<'query', Taken<K, 'query'>> &
  Part<'body', Taken<K, 'body'>> & { headers?: Record<string, string> }

/** What a call gives: the `data` of its envelope. */
export type DataOf<K extends OperationId> = Calls[K] extends { data: infer D } ? D : unknown

/** One row of a call that answers a page. */
export type RowOf<K extends OperationId> = DataOf<K> extends { list: (infer R)[] } ? R : never

/** Calls that can be made without any part need no second argument. */
export type PartsArgument<K extends OperationId> =
  Record<string, never> extends CallParts<K>
    ? [parts?: CallParts<K>, options?: RequestOptions]
    : [parts: CallParts<K>, options?: RequestOptions]

/** Makes one documented call and gives its data. Throws `ApiFailure`. */
export async function call<K extends OperationId>(id: K, ...[parts, options]: PartsArgument<K>): Promise<DataOf<K>> {
  const { method, path } = operations[id]
  const answer = await request(method, path, parts, options)
  return answer.data as DataOf<K>
}

/** Makes a documented call that answers a file. A JSON answer is judged as any other. */
export async function fetchFile<K extends OperationId>(
  id: K,
  ...[parts, options]: PartsArgument<K>
): Promise<ApiFile | undefined> {
  const { method, path } = operations[id]
  return (await request(method, path, parts, options)).file
}

/** The address of a documented call, for event streams and previews. */
export function addressOfCall<K extends OperationId>(id: K, ...[parts]: PartsArgument<K>): string {
  return addressOf(operations[id].path, parts)
}
