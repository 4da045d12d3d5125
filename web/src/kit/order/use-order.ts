import { useId, useState } from 'react'
import { useMessages } from '@/i18n/messages'
import { orderMessages } from './order-messages'

/** Moves entries of a list, and says where they went. Put `said` into a live region. */
export function useOrder<T>(items: readonly T[], nameOf: (item: T) => string, onChange: (items: readonly T[]) => void) {
  const m = useMessages(orderMessages)
  const list = useId()
  const [said, setSaid] = useState('')
  const move = (from: number, to: number) => {
    const item = items[from]
    if (item === undefined || to < 0 || to >= items.length) return
    onChange(items.toSpliced(from, 1).toSpliced(to, 0, item))
    setSaid(m.moved(nameOf(item), to + 1, items.length))
  }
  return { list, move, said }
}
