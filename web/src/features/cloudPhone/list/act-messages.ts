import { words as operationWords } from '@/api/words/OperationKind'
import { words as sagaWords } from '@/api/words/SagaKind'
import { defineMessages, type Pair } from '@/i18n/messages'
import { staysBehind } from '../links'

const putOnQuestion: Pair = [
  '在归属机房的空闲板卡上启动云手机；没有空闲板卡时排队',
  'Starts the phone on a free card of its home room; it queues while there is none',
]

/** What the acts on phones are called, what each asks, and what is said when it has begun. */
export const actMessages = defineMessages({
  renew: operationWords.phoneRenew.label,
  renewQuestion: [
    '从到期时间起延长；已到期的从现在起算，并恢复正常',
    'Days are added to the expiry; an expired phone counts from now and becomes active',
  ],
  changePlan: operationWords.phonePlan.label,
  changePlanQuestion: [
    '只能变更下机的云手机；用过的云手机不能换到其他板卡',
    'Only phones off the machine can change; one that was used stays on its board',
  ],
  freeze: operationWords.phoneFreeze.label,
  freezeQuestion: ['冻结后用户不能使用云手机，数据保留', 'The user cannot use the phone; its data is kept'],
  thaw: operationWords.phoneThaw.label,
  thawQuestion: ['解冻后用户可以继续使用', 'The user can use the phone again'],
  release: operationWords.phoneRelease.label,
  releaseQuestion: [
    '释放后用户失去云手机；保留期内可恢复，之后连同备份一并清除，无法找回。在机的云手机若不下机，在此期间留在原卡上，之后卡上的数据一并清除',
    'The user loses the phone. It can be restored for some days, then it is erased with its backups, for good. One on the machine that is not taken off stays on its card until then, and what is on that card is wiped with it',
  ],
  restore: operationWords.phoneRestore.label,
  restoreQuestion: ['恢复后用户重新拥有云手机', 'The user has the phone again'],
  putOn: sagaWords.putOn.label,
  putOnQuestion,
  putOnUsedQuestion: [
    `${putOnQuestion[0]}。用过的云手机若原卡仍封存，几秒内回到原卡；否则恢复其保留副本中的应用和数据，板卡的镜像须与备份时相同或已声明兼容。${staysBehind[0]}`,
    `${putOnQuestion[1]}. One that was used comes back within seconds to the card that it left, if that is still sealed; otherwise with the apps and the data of its kept copy, on a card with the same image, or one that takes its phones. ${staysBehind[1]}`,
  ],
  putOnBackQuestion: [
    '下机取消，云手机在原卡上恢复运行；若已下机，则按上机处理',
    'Turns the take-off back: the phone goes on where it is. If it is off by then, it is put on',
  ],
  takeOff: sagaWords.takeOff.label,
  takeOffQuestion: [
    `正在使用的用户先收到提醒，五分钟后或提前离开时下机，再次上机前不能使用。云手机停止并复制到存储节点；副本读回校验后数据保存在备份中，卡封存，有其他云手机需要时清除其上的数据；此前若失败，云手机在原卡上恢复运行。${staysBehind[0]}`,
    `Whoever uses the phone is warned, and cut off after five minutes unless he leaves before, until it is put on again. The phone stops and is copied to a storage node. Once the copy was read back, its data lies in storage, and its card is sealed, and wiped when another phone needs it; if anything fails before that, the phone goes on where it was. ${staysBehind[1]}`,
  ],
  restart: sagaWords.restart.label,
  restartQuestion: [
    '云手机在板卡上重新启动，正在使用的用户会中断',
    'The phone restarts on its card; whoever uses it is interrupted',
  ],
  backUp: ['立即备份', 'Back up now'],
  backUpQuestion: [
    '云手机会停止几分钟，正在使用的用户会中断；备份后自动恢复运行',
    'The phone stops for some minutes, whoever uses it is interrupted, and then it goes on',
  ],
  acceptCopy: ['用备份恢复', 'Go on from the copy'],
  acceptCopyQuestion: [
    `云手机离开失联的卡，在归属机房的另一张卡上用最新的完好备份恢复（在线备份中的文件可能不是同一时刻的）；备份之后写入的数据只在旧卡上。旧卡恢复连接后先停止，不会自动清除。${staysBehind[0]}`,
    `The phone leaves the lost card, and goes on with its newest whole copy on another card of its home room (files of a live one may not be of the same moment); what was written since is on the lost card alone. If that comes back it is stopped first, and not wiped by itself. ${staysBehind[1]}`,
  ],
  acceptOlder: ['改用较早的备份', 'Come with the older copy'],
  acceptOlderQuestion: [
    `保留的备份已损坏：云手机改用较早的完好备份上机（在线备份中的文件可能不是同一时刻的），此后写入的数据不会恢复。已损坏的备份原样保留。${staysBehind[0]}`,
    `The kept copy is damaged: the phone comes with an older one that is whole (files of a live one may not be of the same moment), and what was written after that does not come back. The damaged copy stays as it is. ${staysBehind[1]}`,
  ],
  olderOf: (at: string) => [`备份时间 ${at}。`, `Copy of ${at}. `],
  giveUp: ['放弃数据', 'Give up the data'],
  giveUpQuestion: [
    '没有完好的备份：卡上的数据不再找回，云手机恢复为从未上机的状态。须由另一位操作员批准',
    'There is no whole copy: what is on the lost card is given up, and the phone is as new. Another operator has to approve it',
  ],
  wipeLeft: operationWords.phoneWipeLeft.label,
  wipeLeftQuestion: [
    '清除云手机留在隔离卡上的数据：备份之后写入的内容可能不在任何副本中，清除后不能找回。须由另一位操作员批准',
    'Wipes what the phone has left on cards in quarantine: what was written since its copy may be in none, and does not come back. Another operator has to approve it',
  ],
  goOn: ['继续处理', 'Go on'],
  goOnQuestion: [
    '隔离卡上的数据在卡应答后先另行备份，校验无误后清除，备份不了则原样保留；其余卡按已认定的画像清除；受阻的下机立即再次尝试（须有“下机”权限）。失联的卡和已损坏的备份不在其中',
    'What lies on cards in quarantine is backed up as soon as they answer, read back, and wiped then; what cannot be backed up stays. Other cards are wiped after profiles that were tried, and take-offs that are held are tried again now (needs the right to take phones off). Lost cards and damaged copies are decided apart from this',
  ],
  openElsewhere: operationWords.phoneOpenElsewhere.label,
  openElsewhereQuestion: [
    `用于代理失联的机房：云手机的归属机房改为另一机房，在机的离开旧卡，以后上机时用最新的完好备份恢复；备份之后写入的数据只在旧卡上。机房恢复后，旧卡上运行的系统先停止，不会自动清除。须由另一位操作员批准。${staysBehind[0]}`,
    `For a room whose agent is gone: another room becomes the home of the phones. Those on cards leave these and go on from their newest whole copies when they are put on; what was written since is on the old cards alone. When the room is back, what runs there is stopped first, and not wiped by itself. Another operator has to approve it. ${staysBehind[1]}`,
  ],
  queued: ['已排队，进度见“过程”', 'Queued; “Steps” shows its progress'],
  begun: ['已开始，数量较大，稍后完成', 'Started; there are many, so it takes a while'],
  edit: ['编辑', 'Edit'],
  onMachine: ['请先下机', 'Take it off the machine first'],
})
