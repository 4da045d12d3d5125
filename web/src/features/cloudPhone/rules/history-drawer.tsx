import { useMessages } from '@/i18n/messages'
import { defineFilter } from '@/kit/list/filter'
import { ListTable } from '@/kit/list/list-table'
import { useInnerList } from '@/kit/list/use-list'
import { Drawer } from '@/ui/drawer'
import { at, what } from './change-columns'
import { changeMessages, messages } from './messages'
import type { Target } from './values'

const filter = defineFilter({})
const columns = [at, ...what]

/** What was changed in the rules of one: everybody, a plan, a room, a room and plan, a phone. */
export default function HistoryDrawer({
  target,
  name,
  onClose,
}: {
  target: Target
  name: string
  onClose: () => void
}) {
  const m = useMessages(messages)
  const list = useInnerList('phoneRuleChangeList', filter, { ...target })
  return (
    <Drawer open size={760} title={m.historyOf(name)} onClose={onClose}>
      <div className="kit-inner">
        <ListTable messages={changeMessages} list={list} columns={columns} />
      </div>
    </Drawer>
  )
}
