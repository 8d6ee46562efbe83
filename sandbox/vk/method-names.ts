// The names of VK's methods, by section. They tell a method that is not simulated from a misspelt name.

const names: Readonly<Record<string, string>> = {
  account: `
    ban changePassword getActiveOffers getAppPermissions getBanned getCounters getInfo
    getProfileInfo getPushSettings registerDevice saveProfileInfo setInfo setOffline setOnline
    setPushSettings setSilenceMode unban unregisterDevice
  `,
  ads: `
    addOfficeUsers checkLink createAds createCampaigns createClients createLookalikeRequest
    createTargetGroup createTargetPixel deleteAds deleteCampaigns deleteClients
    deleteTargetGroup deleteTargetPixel getAccounts getAds getAdsLayout getAdsTargeting
    getBudget getCampaigns getCategories getClients getDemographics getFloodStats
    getLookalikeRequests getMusicians getMusiciansByIds getOfficeUsers getPostsReach
    getRejectionReason getStatistics getSuggestions getTargetGroups getTargetPixels
    getTargetingStats getUploadURL getVideoUploadURL importTargetContacts removeOfficeUsers
    removeTargetContacts saveLookalikeRequestResult shareTargetGroup updateAds updateCampaigns
    updateClients updateOfficeUsers updateTargetGroup updateTargetPixel
  `,
  appWidgets: `
    getAppImageUploadServer getAppImages getGroupImageUploadServer getGroupImages
    getImagesById saveAppImage saveGroupImage update
  `,
  apps: `
    addSnippet addUsersToTestingGroup deleteAppRequests deleteSnippet get getCatalog
    getFriendsList getLeaderboard getMiniAppPolicies getScopes getScore getSnippets
    getTestingGroups isNotificationsAllowed promoHasActiveGift promoUseGift removeTestingGroup
    removeUsersFromTestingGroups sendRequest updateMetaForTestingGroup
  `,
  auth: 'restore',
  board: `
    addTopic closeTopic createComment deleteComment deleteTopic editComment editTopic fixTopic
    getComments getTopics openTopic restoreComment unfixTopic
  `,
  bugtracker: `
    addCompanyGroupsMembers addCompanyMembers changeBugreportStatus createComment
    getBugreportById getCompanyGroupMembers getCompanyMembers getDownloadVersionUrl
    getProductBuildUploadServer removeCompanyGroupMember removeCompanyMember
    saveProductVersion setCompanyMemberRole setProductIsOver
  `,
  calls: 'forceFinish start',
  database: `
    getChairs getCities getCitiesById getCountries getCountriesById getFaculties
    getMetroStations getMetroStationsById getRegions getSchoolClasses getSchools
    getUniversities
  `,
  docs: `
    add delete edit get getById getMessagesUploadServer getTypes getUploadServer
    getWallUploadServer restore save search
  `,
  donut: 'getFriends getSubscription getSubscriptions isDon',
  downloadedGames: 'getPaidStatus',
  fave: `
    addArticle addLink addPage addPost addProduct addTag addVideo editTag get getPages getTags
    markSeen removeArticle removeLink removePage removePost removeProduct removeTag
    removeVideo reorderTags setPageTags setTags trackPageInteraction
  `,
  friends: `
    add addList areFriends delete deleteAllRequests deleteList edit editList get getAppUsers
    getLists getMutual getOnline getRecent getRequests getSuggestions search
  `,
  gifts: 'get',
  groups: `
    addAddress addCallbackServer addLink approveRequest ban create deleteAddress
    deleteCallbackServer deleteLink disableOnline edit editAddress editCallbackServer editLink
    editManager enableOnline get getAddresses getBanned getById getCallbackConfirmationCode
    getCallbackServers getCallbackSettings getCatalogInfo getInvitedUsers getInvites
    getLongPollServer getLongPollSettings getMembers getOnlineStatus getRequests getSettings
    getTagList getTokenPermissions invite isMember join leave removeUser reorderLink search
    setCallbackSettings setLongPollSettings setSettings setUserNote tagAdd tagBind tagDelete
    tagUpdate toggleMarket unban
  `,
  leadForms: 'create delete get getLeads getUploadURL list update',
  likes: 'add delete getList isLiked',
  market: `
    add addAlbum addProperty addPropertyVariant addToAlbum createComment delete deleteAlbum
    deleteComment deleteProperty deletePropertyVariant edit editAlbum editComment editOrder
    editProperty editPropertyVariant filterCategories get getAlbumById getAlbums getById
    getCategories getComments getGroupOrders getOrderById getOrderItems getOrders
    getProductPhotoUploadServer getProperties groupItems removeFromAlbum reorderAlbums
    reorderItems report reportComment restore restoreComment saveProductPhoto
    saveProductPhotoBulk search searchItems searchItemsBasic ungroupItems
  `,
  messages: `
    addChatUser addChatUsers allowMessagesFromGroup createChat delete deleteChatPhoto
    deleteConversation deleteReaction denyMessagesFromGroup edit editChat
    getByConversationMessageId getById getChat getChatPreview getConversationMembers
    getConversations getConversationsById getHistory getHistoryAttachments
    getImportantMessages getIntentUsers getInviteLink getLastActivity getLongPollHistory
    getLongPollServer getMessagesReactions getReactedPeers getReactionsAssets
    isMessagesFromGroupAllowed joinChatByInviteLink markAsAnsweredConversation markAsImportant
    markAsImportantConversation markAsRead markReactionsAsRead muteChatMentions pin
    removeChatUser restore search searchConversations send sendMessageEventAnswer sendReaction
    setActivity setChatPhoto unpin
  `,
  newsfeed: `
    addBan deleteBan deleteList get getBanned getComments getLists getMentions getRecommended
    getSuggestedSources ignoreItem saveList search unignoreItem unsubscribe
  `,
  notes: `
    add createComment delete deleteComment edit editComment get getById getComments
    restoreComment
  `,
  notifications: 'get markAsViewed sendMessage',
  orders: `
    cancelSubscription changeState get getAmount getById getUserSubscriptionById
    getUserSubscriptions
  `,
  pages: 'clearCache get getHistory getTitles getVersion parseWiki save saveAccess',
  photos: `
    confirmTag copy createAlbum createComment delete deleteAlbum deleteComment edit editAlbum
    editComment get getAlbums getAlbumsCount getAll getAllComments getById getChatUploadServer
    getComments getMarketAlbumUploadServer getMessagesUploadServer getNewTags
    getOwnerCoverPhotoUploadServer getOwnerPhotoUploadServer getTags getUploadServer
    getUserPhotos getWallUploadServer makeCover move putTag removeTag reorderAlbums
    reorderPhotos report reportComment restore restoreComment save saveMarketAlbumPhoto
    saveMessagesPhoto saveOwnerCoverPhoto saveOwnerPhoto saveWallPhoto search
  `,
  podcasts: 'searchPodcast',
  polls: `
    addVote create deleteVote edit getBackgrounds getById getPhotoUploadServer getVoters
    savePhoto
  `,
  prettyCards: 'create delete edit get getById getUploadURL',
  search: 'getHints',
  secure: `
    addAppEvent checkToken getAppBalance getSMSHistory getTransactionsHistory getUserLevel
    giveEventSticker sendNotification sendSMSNotification setCounter
  `,
  stats: 'get getPostReach trackVisitor',
  status: 'get set',
  storage: 'get getKeys set',
  store: `
    addStickersToFavorite getFavoriteStickers getProducts getStickersKeywords
    removeStickersFromFavorite
  `,
  stories: `
    banOwner delete get getBanned getById getDetailedStats getPhotoUploadServer getReplies
    getStats getVideoUploadServer getViewers hideAllReplies hideReply save search
    sendInteraction unbanOwner
  `,
  streaming: 'getServerUrl getStats getStem',
  translations: 'translate',
  users: 'get getFollowers getSubscriptions report search',
  utils: `
    checkLink deleteFromLastShortened getLastShortenedLinks getLinkStats getServerTime
    getShortLink resolveScreenName
  `,
  video: `
    add addAlbum addToAlbum createComment delete deleteAlbum deleteComment edit editAlbum
    editComment get getAlbumById getAlbums getAlbumsByVideo getComments getLongPollServer
    getThumbUploadUrl liveGetCategories removeFromAlbum reorderAlbums reorderVideos report
    reportComment restore restoreComment save saveUploadedThumb search startStreaming
    stopStreaming unpinComment
  `,
  wall: `
    checkCopyrightLink closeComments createComment delete deleteComment edit editAdsStealth
    editComment get getById getComment getComments getReposts openComments parseAttachedLink
    pin post postAdsStealth reportComment reportPost repost restore restoreComment search
    unpin
  `,
  widgets: 'getComments getPages',
};

/** Whether VK has a method of that name. */
export function isVkMethod(name: string): boolean {
  const [section = '', method = ''] = name.split('.', 2);
  const known = Object.hasOwn(names, section) ? names[section] : undefined;
  return known?.split(/\s+/).includes(method) === true && method !== '';
}
