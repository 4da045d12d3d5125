import { useState } from 'react'
import { isApiFailure } from '@/api/failure'
import { useApiQuery } from '@/api/query'

/** Just after signing in the server asks for no password again; the minute less is for clocks that differ. */
const freshMs = 4 * 60_000

const conflict = 409

/**
 * Whether a new way in takes the password: it does once the session is some minutes old. The clock of this browser may be
 * wrong, so that a refusal makes the field appear as well.
 */
export function useFreshness() {
  const { data } = useApiQuery('ownSessionList', {}, { suppressNotice: true })
  const [isRefused, setRefused] = useState(false)
  const since = data?.find(({ current }) => current)?.signedInAt
  const isOld = since !== undefined && Date.now() - new Date(since).getTime() > freshMs
  return {
    needsPassword: isRefused || isOld,
    /** Wraps what the server may refuse for want of a password. */
    watch:
      <T>(send: (values: T) => Promise<void>) =>
      async (values: T) => {
        try {
          await send(values)
        } catch (error) {
          if (isApiFailure(error) && error.httpStatus === conflict) setRefused(true)
          throw error
        }
      },
  }
}
