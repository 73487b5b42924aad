package io.weir.keys.identity;

import io.weir.core.policy.PolicySection;
import io.weir.core.policy.schema.Field;
import io.weir.core.policy.schema.Section;
import io.weir.keys.identity.IdentityRule.Sources;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Reads which sources of identity count for an operation. */
public final class OperationIdentitySection extends PolicySection<Sources> {
  private static final Pattern WORD =
      Pattern.compile("apiKey|jwt|header|clientCertificate|anonymous");
  private static final Field<List<Section.Item>> IDENTITY = Field.texts(
      "identity",
      WORD,
      "apiKey, jwt, header, clientCertificate or anonymous",
      "the only sources of [identity](#identity) that are valid for it; default: all");

  public OperationIdentitySection() {
    super(Parent.OPERATION, IdentityRule.OF_OPERATION, IDENTITY);
  }

  @Override
  public Optional<Sources> read(Section section) {
    if (!section.has("identity")) {
      return Optional.empty();
    }
    Set<Source> sources = EnumSet.noneOf(Source.class);
    section.get(IDENTITY).forEach(item -> Source.of(item.text()).ifPresent(sources::add));
    return Optional.of(new Sources(sources));
  }
}
