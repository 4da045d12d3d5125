import '../kit.css'
import { type ReactNode, useRef, useState } from 'react'
import { notifySuccess } from '@/api/notices'
import { useMessages } from '@/i18n/messages'
import { Button } from '@/ui/button'
import { Callout } from '@/ui/callout'
import { Drawer } from '@/ui/drawer'
import { useLeaveQuestion } from '../form/use-leave-question'
import { kitMessages } from '../messages'
import { OrderList } from './order-list'
import { orderMessages } from './order-messages'

interface OrderDrawerProps<T> {
  title: string
  /** All entries, in their order: a page of them has no order of its own. */
  items: readonly T[]
  nameOf: (item: T) => string
  children?: (item: T) => ReactNode
  /** Takes the whole list in its new order. */
  save: (items: readonly T[]) => Promise<unknown>
  onClose: () => void
}

/** Puts the rows of a list in order, beside it: in the list itself a filter, a sort and pages would be in the way. */
export function OrderDrawer<T extends { id: string | number }>(props: OrderDrawerProps<T>) {
  const k = useMessages(kitMessages)
  const m = useMessages(orderMessages)
  const [items, setItems] = useState(props.items)
  const [isBusy, setBusy] = useState(false)
  const locked = useRef(false)
  const [first] = useState(props.items)
  const isMoved = items.some(({ id }, at) => id !== first[at]?.id)
  const { leave, question } = useLeaveQuestion(() => isMoved)
  const close = () => !isBusy && leave(props.onClose)

  async function send() {
    // State comes too late to stop a second click in the same frame.
    if (locked.current) return
    locked.current = true
    setBusy(true)
    try {
      await props.save(items)
      notifySuccess(k.saved)
      props.onClose()
    } catch {
      // The call that failed has said why; the drawer stays open.
    } finally {
      locked.current = false
      setBusy(false)
    }
  }

  return (
    <Drawer
      open
      size={480}
      title={props.title}
      mask={{ closable: false }}
      onClose={close}
      footer={
        <div className="kit-footer">
          <Button disabled={isBusy} onClick={close}>
            {k.cancel}
          </Button>
          <Button type="primary" loading={isBusy} disabled={!isMoved} onClick={() => void send()}>
            {k.save}
          </Button>
        </div>
      }
    >
      {items.length < 2 && <Callout tone="info" title={m.few} />}
      <OrderList label={props.title} items={items} nameOf={props.nameOf} onChange={setItems}>
        {props.children ?? props.nameOf}
      </OrderList>
      {question}
    </Drawer>
  )
}
