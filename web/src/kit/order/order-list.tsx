import '../kit.css'
import type { ReactNode } from 'react'
import { useLanguage } from '@/i18n/language'
import { useMessages } from '@/i18n/messages'
import { moveDown, moveUp } from '@/rules/lists'
import { ruleMessage } from '@/rules/violation'
import { Button } from '@/ui/button'
import { ArrowDownIcon, ArrowUpIcon } from '@/ui/icons'
import { OrderHandle } from '@/ui/order-handle'
import { orderMessages } from './order-messages'
import { useOrder } from './use-order'

interface OrderListProps<T> {
  label: string
  items: readonly T[]
  nameOf: (item: T) => string
  /** What of an entry is shown, where its name is not enough. */
  children?: (item: T) => ReactNode
  onChange: (items: readonly T[]) => void
}

/** Rows in an order that people decide: by dragging, by the arrow keys, by buttons. */
export function OrderList<T extends { id: string | number }>(props: OrderListProps<T>) {
  const m = useMessages(orderMessages)
  const language = useLanguage()
  const { items, nameOf } = props
  const { list, move, said } = useOrder(items, nameOf, props.onChange)
  return (
    <>
      <ol className="kit-order" aria-label={props.label}>
        {items.map((item, at) => {
          const name = nameOf(item)
          const noUp = moveUp(at)
          const noDown = moveDown(at, items.length)
          return (
            <li key={item.id} data-order="y">
              <OrderHandle label={m.move(name)} hint={m.keys} list={list} at={at} count={items.length} onMove={move} />
              <span className="kit-order-item">{props.children ? props.children(item) : name}</span>
              <Button
                type="text"
                aria-label={m.up(name)}
                icon={<ArrowUpIcon aria-hidden />}
                {...(noUp && { disabled: true, title: ruleMessage(noUp, language) })}
                onClick={() => move(at, at - 1)}
              />
              <Button
                type="text"
                aria-label={m.down(name)}
                icon={<ArrowDownIcon aria-hidden />}
                {...(noDown && { disabled: true, title: ruleMessage(noDown, language) })}
                onClick={() => move(at, at + 1)}
              />
            </li>
          )
        })}
      </ol>
      <span className="visually-hidden" role="status">
        {said}
      </span>
    </>
  )
}
