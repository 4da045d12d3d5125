import { logoutStatus } from '../choices'

/** What may be done with a request; the server judges the same. A handled request never changes again. */
export const logoutRequestCan = {
  beHandled: ({ status }: { status: number }) => status === logoutStatus.value.requested,
}
