import { defineMessages } from '@/i18n/messages'

/** Which image takes phones of which other one. */
export const pairMessages = defineMessages({
  of: (image: string) => [`镜像兼容：${image}`, `Pairs of ${image}`],
  to: ['用此镜像备份的云手机，还能在这些镜像的卡上恢复', 'Its phones may also come on cards that run'],
  from: ['此镜像的卡，还能恢复这些镜像的云手机', 'Its cards also take phones of'],
  hint: [
    '只声明一个方向；声明前请在实机上验证：应用、数据与系统设置会整体恢复到另一个镜像上',
    'One direction alone. Try it on the board first: apps, data and settings of Android come on the other image as they are',
  ],
  none: ['没有', 'None'],
  image: ['镜像', 'Image'],
  reason: ['原因', 'Reason'],
  createdBy: ['声明人', 'Declared by'],
  createdAt: ['声明时间', 'Declared at'],
  declare: ['声明兼容', 'Declare'],
  declareQuestion: [
    '此镜像的云手机之后可以在所选镜像的卡上恢复；等待此类卡的云手机会立即上机',
    'From now on phones of this image may come on cards of the other one, and those that wait for such a card get it at once',
  ],
  undeclare: ['取消兼容', 'Withdraw'],
  undeclareQuestion: [
    '之后不再分配这样的卡；已在其上的云手机不受影响',
    'No phone is given such a card any more; those that are on one stay there',
  ],
  fields: { toId: ['卡的镜像', 'Image of the cards'] },
})
