import { words as imageWords } from '@/api/words/ImageView'
import { defineMessages } from '@/i18n/messages'

export const messages = defineMessages({
  empty: ['还没有安卓卡上报镜像', 'No card has reported its image yet'],
  emptyHint: [
    '机房代理巡检安卓卡时读取其镜像指纹，新的镜像会出现在这里',
    'Room agents read the fingerprint of each card’s image when they look at it; new images appear here',
  ],
  toAgents: ['查看机房代理', 'See the room agents'],
  search: ['指纹或版本', 'Fingerprint or version'],
  adopt: ['认定版本', 'Adopt'],
  adoptQuestion: [
    '说明这个镜像是哪个版本；安卓卡上会显示版本，不再显示指纹',
    'Says which version this image is; cards then show it instead of the fingerprint',
  ],
  fields: {
    ...imageWords,
    imageId: ['镜像', 'Image'],
    adopted: ['状态', 'State'],
  },
})
