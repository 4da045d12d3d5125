import { useMessages } from '@/i18n/messages'
import { OrderList } from '@/kit/order/order-list'
import { Button } from '@/ui/button'
import { Checkbox } from '@/ui/checkbox'
import { Drawer } from '@/ui/drawer'
import { type Arrangement, untouched } from './arrange'
import { messages } from './messages'

interface LayoutProps {
  sections: readonly { id: string; title: string }[]
  hidden: readonly string[]
  onChange: (next: Arrangement) => void
  onClose: () => void
}

/** Moves and hides the sections; what is changed here is seen beside it at once. */
export default function Layout({ sections, hidden, onChange, onClose }: LayoutProps) {
  const m = useMessages(messages)
  const order = sections.map(({ id }) => id)
  const turn = (id: string, isShown: boolean) =>
    onChange({ order, hidden: isShown ? hidden.filter((each) => each !== id) : [...hidden, id] })
  return (
    <Drawer
      open
      size={380}
      title={m.arrange}
      mask={false}
      onClose={onClose}
      footer={<Button onClick={() => onChange(untouched)}>{m.reset}</Button>}
    >
      <OrderList
        label={m.arrange}
        items={sections}
        nameOf={({ title }) => title}
        onChange={(items) => onChange({ order: items.map(({ id }) => id), hidden })}
      >
        {({ id, title }) => (
          <Checkbox checked={!hidden.includes(id)} onChange={({ target }) => turn(id, target.checked)}>
            {title}
          </Checkbox>
        )}
      </OrderList>
    </Drawer>
  )
}
