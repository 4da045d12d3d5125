import { call } from '@/api/call'
import { isApiFailure } from '@/api/failure'
import { listSource } from '@/kit/reference/source'

/** The operators, by their user names. */
export const operators = listSource('operatorList', {
  name: ({ username }) => username,
  need: 'operator:list',
  find: (id) =>
    call('operatorGet', { path: { id } }, { suppressNotice: true }).then(
      ({ username }) => ({ id, name: username }),
      (error: unknown) => {
        if (isApiFailure(error) && error.httpStatus === 404) return undefined
        throw error
      },
    ),
})
