package io.weir.core.policy.read;

import io.weir.core.bucket.Scope;
import io.weir.core.policy.schema.Field;
import io.weir.core.policy.schema.Section;
import io.weir.core.policy.schema.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Reads the list of buckets. */
final class BucketsReader {
  // One script reads and writes all buckets of a request; Lua's stack holds some thousands of
  // values.
  private static final int MAX_BUCKETS = 500;

  private static final Field<String> NAME =
      Field.name("name", "unique among all limits").required();
  private static final Field<Boolean> HIGH_VOLUME = Field.flag(
      "highVolume",
      "whether the bucket is in a set of its own, which plans with that `bucketSet` have");
  private static final Field<Boolean> LEASED = Field.flag(
      "leased",
      "whether nodes and programs hold [leases](../explanation/consistency.md#leases) of it and spend them without asking"
          + " Redis: for a bucket with thousands of requests per second (on a Redis Cluster all buckets of scope `cluster`"
          + " are leased)");
  private static final Table BUCKET = Table.of("bucket", NAME, Scopes.SCOPE, HIGH_VOLUME, LEASED)
      .with(ShapeReader.FIELDS)
      .with(BucketOptionsReader.FIELDS);
  static final Field<List<Section>> BUCKETS = Field.sections(
          "buckets", BUCKET, "the limits of rates")
      .atMost(MAX_BUCKETS, "too_many_buckets", "buckets")
      .required();

  private final ShapeReader shapes;
  private final Scope defaultScope;
  private final Set<String> names;
  private final boolean bare;

  /**
   * @param names the names in use; more are added
   * @param bare whether the document names no plans, so that nothing refers to a bucket by its name
   */
  BucketsReader(PolicySettings settings, Set<String> names, boolean bare) {
    shapes = new ShapeReader(settings.bursts());
    defaultScope = settings.scope();
    this.names = names;
    this.bare = bare;
  }

  List<DefinedBucket> read(Section root) {
    List<DefinedBucket> buckets = new ArrayList<>();
    List<Section> sections = root.get(BUCKETS);
    if (sections.size() > MAX_BUCKETS) {
      return buckets;
    }
    for (Section section : sections) {
      bucket(section).ifPresent(buckets::add);
    }
    return buckets;
  }

  private Optional<DefinedBucket> bucket(Section section) {
    Optional<String> name = section.find(NAME).flatMap(given -> unique(section, given));
    Scope scope = section.find(Scopes.SCOPE).orElse(defaultScope);
    boolean highVolume = section.get(HIGH_VOLUME);
    boolean leased = section.get(LEASED);
    BucketOptions options = BucketOptionsReader.read(section, leased);
    Optional<Long> burst = shapes.burstMillis(section);
    Optional<List<BucketShape.Group>> groups = shapes.groups(section);
    if (name.isEmpty() || groups.isEmpty()) {
      return Optional.empty();
    }
    return shapes
        .shape(section, name.get(), scope, burst.orElse(0L), groups.get())
        .map(shape -> shape.withLeases(leased))
        .filter(shape -> isHeldByParts(section, shape, options))
        .map(shape -> new DefinedBucket(
            section, shape, highVolume ? BucketSet.HIGH_VOLUME : BucketSet.ORDINARY, options));
  }

  private static boolean isHeldByParts(Section section, BucketShape shape, BucketOptions options) {
    boolean isHeld = options.holds(shape);
    if (!isHeld) {
      section.error(
          "share_too_small",
          "keepFor",
          "a part of the bucket holds not one operation (expected: a longer burst, another share)");
    }
    return isHeld;
  }

  // Real files use one name for two different buckets: the second one gets a number.
  private Optional<String> unique(Section section, String given) {
    if (names.add(given)) {
      return Optional.of(given);
    }
    String message = "'%s' is the name of a bucket already".formatted(given);
    if (!bare) {
      section.error("name_repeated", "name", message);
      return Optional.empty();
    }
    int number = 2;
    while (!names.add(given + ":" + number)) {
      number++;
    }
    section.warning(
        "name_repeated", "name", "%s; this one is %s:%d".formatted(message, given, number));
    return Optional.of(given + ":" + number);
  }

  /** A bucket of the policy, with its place in the document. */
  record DefinedBucket(Section section, BucketShape shape, BucketSet set, BucketOptions options) {
    String name() {
      return shape.bucket().name();
    }
  }

  /** The two sets that Hiero's throttle files contain side by side. No plan demands from both. */
  enum BucketSet {
    ORDINARY,
    HIGH_VOLUME
  }
}
