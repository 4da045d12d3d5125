import '../kit.css'
import { type ReactNode, useId } from 'react'
import { useMessages } from '@/i18n/messages'
import { grouped } from '@/rules/format'
import { Button } from '@/ui/button'
import { ArrowDownIcon, ArrowUpIcon, CloseIcon } from '@/ui/icons'
import { Tooltip } from '@/ui/tooltip'
import { kitMessages } from '../messages'
import type { Walk } from './detail-place'

interface BesidePanelProps {
  title: ReactNode
  extra: ReactNode
  walk: Walk
  onClose: () => void
  children: ReactNode
}

/** A detail under the tabs, beside its list, which stays in use. */
export function BesidePanel({ title, extra, walk, onClose, children }: BesidePanelProps) {
  const m = useMessages(kitMessages)
  const heading = useId()
  return (
    <aside className="kit-beside" aria-labelledby={heading}>
      <header>
        <Step label={m.previousRow} go={walk.previous} icon={<ArrowUpIcon aria-hidden />} />
        <Step label={m.nextRow} go={walk.next} icon={<ArrowDownIcon aria-hidden />} />
        {walk.at !== undefined && (
          <span className="kit-beside-at">{`${grouped(walk.at)} / ${grouped(walk.total)}`}</span>
        )}
        <h2 id={heading}>{title}</h2>
        <div className="kit-beside-acts">{extra}</div>
        <button type="button" className="sky-icon-button" aria-label={m.closeDetail} onClick={onClose}>
          <CloseIcon aria-hidden />
        </button>
      </header>
      <div className="kit-beside-body">{children}</div>
    </aside>
  )
}

function Step({ label, go, icon }: { label: string; go: (() => void) | undefined; icon: ReactNode }) {
  return (
    <Tooltip title={label}>
      <Button aria-label={label} icon={icon} disabled={!go} onClick={go} />
    </Tooltip>
  )
}
