import type { CallParts, OperationId } from '@/api/call'
import { notifySuccess } from '@/api/notices'
import { useApiMutation } from '@/api/query'
import { textsOf } from '@/i18n/messages'
import { kitMessages } from '../messages'

/** Things with a create and an update call: `clientUser` has `clientUserCreate` and `clientUserUpdate`. */
type Savable = { [K in OperationId]: K extends `${infer N}Create` ? N : never }[OperationId]

/** Sends a form. Failures are the form's to show. */
export type Save<T> = (values: T) => Promise<unknown>

/** Creates a thing, or updates the one with this id. */
export function useSave<T extends object>(
  thing: Savable,
  id: string | number | undefined,
  { refresh }: { refresh: readonly OperationId[] },
): Save<T> {
  const operation = (id === undefined ? `${thing}Create` : `${thing}Update`) as OperationId
  const save = useApiMutation(operation, { refresh })
  return async (body) => {
    const parts = id === undefined ? { body } : { path: { id }, body }
    const answer = await save.mutateAsync(parts as unknown as CallParts<OperationId>)
    notifySuccess(textsOf(kitMessages).saved)
    return answer
  }
}
