import { notifySuccess } from '@/api/notices'
import { useMessages } from '@/i18n/messages'
import { Button } from '@/ui/button'
import { copyText } from '@/ui/clipboard'
import { LinkIcon } from '@/ui/icons'
import { Tooltip } from '@/ui/tooltip'
import type { List } from './use-list'
import type { ListLook } from './use-look'
import { viewMessages } from './view-messages'

/** Copies a link that shows a colleague the same rows and columns. */
export function CopyLink({ list, look }: { list: List; look: ListLook }) {
  const m = useMessages(viewMessages)
  const copy = async () => {
    await copyText(look.link(list.pageSize))
    notifySuccess(m.linkCopied)
  }
  return (
    <Tooltip title={m.copyLinkHint}>
      <Button aria-label={m.copyLink} icon={<LinkIcon />} onClick={() => void copy()} />
    </Tooltip>
  )
}
