import dayjs, { type Dayjs } from 'dayjs'
import { useState } from 'react'
import { useMessages } from '@/i18n/messages'
import { DateTimeRangePicker } from '@/ui/date-picker'
import { Modal } from '@/ui/modal'
import { kitMessages } from '../messages'

interface RangeDialogProps {
  title: string
  start: string | undefined
  end: string | undefined
  onChoose: (start?: string, end?: string) => void
  onClose: () => void
}

/** Asks for any span of time, to the second. Either end may stay open. */
export default function RangeDialog({ title, start, end, onChoose, onClose }: RangeDialogProps) {
  const m = useMessages(kitMessages)
  const [span, setSpan] = useState<[Dayjs | null, Dayjs | null]>([start ? dayjs(start) : null, end ? dayjs(end) : null])
  const choose = () => {
    onChoose(span[0]?.toISOString(), span[1]?.toISOString())
    onClose()
  }
  return (
    <Modal open width={460} title={title} okText={m.ok} cancelText={m.cancel} onOk={choose} onCancel={onClose}>
      <DateTimeRangePicker
        showTime
        allowEmpty={[true, true]}
        style={{ width: '100%' }}
        placeholder={[m.from, m.to]}
        value={span}
        onChange={(next) => setSpan([next?.[0] ?? null, next?.[1] ?? null])}
        // Without this the choice is lost when the dialog's own button is pressed instead of the picker's.
        needConfirm={false}
      />
    </Modal>
  )
}
