import { words as imageWords } from '@/api/words/ImageView'
import { defineMessages } from '@/i18n/messages'

export const messages = defineMessages({
  empty: ['还没有安卓卡上报镜像', 'No card has reported its image yet'],
  emptyHint: [
    '机房代理巡检安卓卡时读取其镜像指纹，新的镜像会出现在这里',
    "Room agents read the fingerprint of each card's image when they look at it; new images appear here",
  ],
  toAgents: ['查看机房代理', 'See the room agents'],
  search: ['指纹或版本', 'Fingerprint or version'],
  adopt: ['认定版本', 'Adopt'],
  adoptQuestion: [
    '说明这个镜像是哪个版本；安卓卡上会显示版本，不再显示指纹',
    'Says which version this image is; cards then show it instead of the fingerprint',
  ],
  tried: ['认定画像', 'Mark the profile as tried'],
  triedQuestion: [
    '确认已在该板卡实机上试过：按此画像清除后卡可用，地址、端口和 ADB 密钥保留。之后同镜像的卡将自动清除',
    'Confirms that a wipe after this profile was tried on the board itself: the card works, and its address, port and ADB key stay. From then on cards of this image are wiped by themselves',
  ],
  exclusions: ['备份排除', 'Left out of backups'],
  pairs: ['镜像兼容', 'Pairs of images'],
  trials: ['实机试验', 'Tried on the board'],
  noProfile: ['未采集', 'None'],
  notTried: ['待认定', 'Not tried'],
  notSeparated: ['无法校验系统分区', 'System not verified'],
  fields: {
    ...imageWords,
    imageId: ['镜像', 'Image'],
    adopted: ['状态', 'State'],
  },
})
