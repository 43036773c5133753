/**
 * The subtypes of each type that has rules, and theirs. Written by `scripts/schema-types.ts`, of schema.org 30.0:
 * https://github.com/schemaorg/schemaorg/blob/main/data/releases/30.0/schemaorg-current-https-types.csv
 */
export const SUBTYPES: Readonly<Record<string, string>> = {
  AggregateRating: 'EmployerAggregateRating',
  AutomotiveBusiness:
    'AutoBodyShop AutoDealer AutoPartsStore AutoRental AutoRepair AutoWash GasStation MotorcycleDealer MotorcycleRepair',
  CriticReview: 'ReviewNewsArticle',
  DataFeed: 'CompleteDataFeed',
  Dataset: 'DataFeed',
  EmergencyService: 'FireStation Hospital PoliceStation',
  EntertainmentBusiness:
    'AdultEntertainment AmusementPark ArtGallery Casino ComedyClub MovieTheater NightClub',
  Event:
    'BusinessEvent ChildrensEvent ComedyEvent ConferenceEvent CourseInstance DanceEvent DeliveryEvent EducationEvent EventSeries ExhibitionEvent Festival FoodEvent Hackathon LiteraryEvent MusicEvent PerformingArtsEvent PublicationEvent SaleEvent ScreeningEvent SocialEvent SportsEvent TheaterEvent UserInteraction VisualArtsEvent',
  FinancialService: 'AccountingService AutomatedTeller BankOrCreditUnion InsuranceAgency',
  FoodEstablishment:
    'Bakery BarOrPub Brewery CafeOrCoffeeShop Distillery FastFoodRestaurant IceCreamShop Restaurant Winery',
  GovernmentOffice: 'PostOffice',
  HealthAndBeautyBusiness: 'BeautySalon DaySpa HairSalon HealthClub NailSalon TattooParlor',
  HomeAndConstructionBusiness:
    'Electrician GeneralContractor HVACBusiness HousePainter Locksmith MovingCompany Plumber RoofingContractor',
  ItemList: 'BreadcrumbList HowToSection HowToStep OfferCatalog',
  LegalService: 'Attorney Notary',
  LocalBusiness:
    'AnimalShelter ArchiveOrganization AutomotiveBusiness ChildCare Dentist DryCleaningOrLaundry EmergencyService EmploymentAgency EntertainmentBusiness FinancialService FoodEstablishment GovernmentOffice HealthAndBeautyBusiness HomeAndConstructionBusiness InternetCafe LegalService Library LodgingBusiness MedicalBusiness ProfessionalService RadioStation RealEstateAgent RecyclingCenter SelfStorage ShoppingCenter SportsActivityLocation Store TelevisionStation TouristInformationCenter TravelAgency',
  LodgingBusiness: 'BedAndBreakfast Campground Hostel Hotel Motel Resort VacationRental',
  MedicalBusiness:
    'CommunityHealth Dentist Dermatology DietNutrition Emergency Geriatric Gynecologic MedicalClinic Midwifery Nursing Obstetric Oncologic Optician Optometric Otolaryngologic Pediatric Pharmacy Physician Physiotherapy PlasticSurgery Podiatric PrimaryCare Psychiatric PublicHealth',
  MedicalClinic: 'CovidTestingFacility',
  Physician: 'IndividualPhysician PhysiciansOffice',
  Product:
    'DietarySupplement Drug IndividualProduct ProductCollection ProductGroup ProductModel SomeProducts Vehicle',
  PublicationEvent: 'BroadcastEvent OnDemandEvent',
  Resort: 'SkiResort',
  Review: 'ClaimReview CriticReview EmployerReview MediaReview Recommendation UserReview',
  SoftwareApplication: 'MobileApplication OperatingSystem RuntimePlatform VideoGame WebApplication',
  SportsActivityLocation:
    'BowlingAlley ExerciseGym GolfCourse HealthClub PublicSwimmingPool SkiResort SportsClub StadiumOrArena TennisComplex',
  Store:
    'AutoPartsStore BikeStore BookStore ClothingStore ComputerStore ConvenienceStore DepartmentStore ElectronicsStore Florist FurnitureStore GardenStore GroceryStore HardwareStore HobbyShop HomeGoodsStore JewelryStore LiquorStore MensClothingStore MobilePhoneStore MovieRentalStore MusicStore OfficeEquipmentStore OutletStore PawnShop PetStore ShoeStore SportingGoodsStore TireShop ToyStore WholesaleStore',
  UserInteraction:
    'UserBlocks UserCheckins UserComments UserDownloads UserLikes UserPageVisits UserPlays UserPlusOnes UserTweets',
  Vehicle: 'BusOrCoach Car Motorcycle MotorizedBicycle',
  VideoObject: 'VideoObjectSnapshot',
};
