import type { RowOf } from '@/api/call'
import { useApiMutation } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { action } from '@/kit/action'
import type { Selection } from '@/kit/list/selection'
import { deliveryMessages } from '../messages'

/** Sends again what applications were told: one event, or many. */
export function useDeliveryActs() {
  const m = useMessages(deliveryMessages)
  const { mutateAsync } = useApiMutation('openDeliveryReplay', { refresh: ['openDeliveryList', 'openDeliveryGet'] })
  const ofMany = (selection: Selection) => [
    action(m.replay, {
      need: 'openDelivery:replay',
      confirm: m.replayQuestion,
      run: () => mutateAsync({ body: { selection: selection as never } }),
    }),
  ]
  return { of: ({ id }: Pick<RowOf<'openDeliveryList'>, 'id'>) => ofMany({ ids: [id] }), ofMany }
}
