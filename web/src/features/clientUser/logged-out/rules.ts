import { logoutStatus } from '../choices'

/** What may be done with a request; the server judges the same. A request that was handled never moves again. */
export const logoutRequestCan = {
  beHandled: ({ status }: { status: number }) => status === logoutStatus.value.requested,
}
