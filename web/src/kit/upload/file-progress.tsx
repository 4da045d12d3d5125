import { useMessages } from '@/i18n/messages'
import { byteSize } from '@/rules/format'
import { Button } from '@/ui/button'
import { Callout } from '@/ui/callout'
import { Progress } from '@/ui/progress'
import { TimeText } from '../time-text'
import type { Begun } from './in-pieces'
import { transferMessages } from './transfer-messages'
import type { Transfer } from './use-transfer'

const percentOf = (sent: number, size: number) => (size > 0 ? Math.floor((sent / size) * 100) : 0)

interface FileProgressProps {
  transfer: Pick<Transfer, 'stage'> & { file: Pick<File, 'name' | 'size'> }
  onPause: () => void
  onGoOn: () => void
  onGiveUp: () => void
}

/** How far a file is, how fast and for how long still; why it stands still; and what can be done about it. */
export function FileProgress({ transfer: { file, stage }, onPause, onGoOn, onGiveUp }: FileProgressProps) {
  const m = useMessages(transferMessages)
  const isStopped = stage.is === 'stopped'
  const sent = stage.is === 'checking' ? file.size : stage.sent
  const words = [file.name, stage.is === 'checking' ? m.checking : m.sent(byteSize(sent), byteSize(file.size))]
  if (stage.is === 'sending' && stage.perSecond) {
    words.push(m.speed(byteSize(stage.perSecond)), m.left((file.size - sent) / stage.perSecond))
  }
  if (isStopped && !stage.why) words.push(m.paused)
  return (
    <div className="kit-file-progress">
      <Progress
        percent={percentOf(sent, file.size)}
        status={stage.is === 'sending' || stage.is === 'checking' ? 'active' : 'normal'}
        aria-label={m.progressOf(file.name)}
      />
      <div className="kit-file">
        <span className="sky-soft">{words.join(' · ')}</span>
        <span className="kit-gap" />
        {isStopped && (
          <Button size="small" type="primary" onClick={onGoOn}>
            {m.goOn}
          </Button>
        )}
        {(stage.is === 'sending' || stage.is === 'waiting') && (
          <Button size="small" onClick={onPause}>
            {m.pause}
          </Button>
        )}
        {stage.is !== 'checking' && (
          <Button size="small" onClick={onGiveUp}>
            {m.giveUp}
          </Button>
        )}
      </div>
      <div aria-live="polite">
        {stage.is === 'waiting' && <Callout tone="warn" title={m.waiting(stage.why)} />}
        {isStopped && stage.why && <Callout tone="bad" title={m.stopped(stage.why)} />}
      </div>
    </div>
  )
}

/** An upload of before: its file has to be chosen again. */
export function UnfinishedUpload({ upload, onGiveUp }: { upload: Begun; onGiveUp: () => void }) {
  const m = useMessages(transferMessages)
  const giveUp = (
    <Button size="small" onClick={onGiveUp}>
      {m.giveUp}
    </Button>
  )
  return (
    <Callout tone="info" title={m.unfinished(upload.fileName, percentOf(upload.offset, upload.size))} action={giveUp}>
      <span className="sky-soft">
        {m.keptUntil} <TimeText at={upload.expiresAt} />
      </span>
    </Callout>
  )
}
