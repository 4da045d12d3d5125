import { lazy } from 'react'
import type { CallParts } from '@/api/call'
import { useApiMutation } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { type Action, action } from '@/kit/action'
import { excludeMessages } from './exclude-messages'

const ExcludeFields = lazy(() => import('./exclude-fields'))

/** Names a path that copies may leave out on an image, for another operator to approve: one that was found, or any. */
export function useExclude(): (image: number, path?: string) => Action {
  const m = useMessages(excludeMessages)
  const exclude = useApiMutation('imageExclude', { refresh: ['imageExclusions'] })
  return (image, path = '/data/') =>
    action<CallParts<'imageExclude'>['body']>(m.exclude, {
      need: 'systemImage:exclude',
      confirm: m.excludeQuestion,
      ask: <ExcludeFields />,
      values: { path },
      done: m.excluded,
      run: (body) => exclude.mutateAsync({ path: { id: image }, body }),
    }) as Action
}
