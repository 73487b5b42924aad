package io.weir.core.policy.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.policy.PartKey;
import io.weir.core.policy.Parts;
import io.weir.core.policy.PolicySection;
import io.weir.core.policy.PolicySection.Place;
import io.weir.core.policy.schema.DocumentValue.Mapping;
import io.weir.core.policy.schema.DocumentValue.Text;
import io.weir.core.policy.schema.Field;
import io.weir.core.policy.schema.Problems;
import io.weir.core.policy.schema.Section;
import io.weir.core.policy.schema.Table;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Extensions add fields to policies. */
final class ExtensionsTest {
  /** An extension with one field, which contains a text. */
  private record Extension(PartKey<String> key, Place place, Field<String> field)
      implements PolicySection<String> {
    static Extension of(String name, Place place, String field) {
      return new Extension(new PartKey<>(name, String.class), place, Field.name(field, "a text"));
    }

    @Override
    public List<Field<?>> fields() {
      return List.of(field);
    }

    @Override
    public Optional<String> read(Section section) {
      return section.find(field);
    }
  }

  private static Table table(Extensions extensions, Place place) {
    return Table.of("thing").with(extensions.fields(place));
  }

  @Test
  void eachExtensionReadsItsFieldsAtItsPlace() {
    Extension color = Extension.of("color", Place.POLICY, "color");
    Extension sound = Extension.of("sound", Place.OPERATION, "sound");
    Extensions extensions = new Extensions(List.of(sound, color));
    Mapping document = new Mapping(1, Map.of("color", new Text(1, "red")));
    Section section = Section.root(document, new Problems("test"), table(extensions, Place.POLICY));
    Parts parts = extensions.read(Place.POLICY, section);
    assertThat(parts.get(color.key())).contains("red");
    assertThat(parts.get(sound.key())).isEmpty();
  }

  @Test
  void twoExtensionsMayNotHaveOneField() {
    Extension color = Extension.of("color", Place.POLICY, "tone");
    Extension sound = Extension.of("sound", Place.POLICY, "tone");
    Extension elsewhere = Extension.of("other", Place.OPERATION, "tone");
    assertThatThrownBy(() -> table(new Extensions(List.of(color, sound)), Place.POLICY))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("tone");
    Extensions extensions = new Extensions(List.of(color, elsewhere));
    assertThat(extensions.fields(Place.POLICY)).extracting(Field::name).containsExactly("tone");
    assertThat(extensions.fields(Place.OPERATION)).extracting(Field::name).containsExactly("tone");
  }

  @Test
  void twoExtensionsMayNotHaveOneName() {
    assertThatThrownBy(() -> new Extensions(List.of(
            Extension.of("color", Place.POLICY, "color"),
            Extension.of("color", Place.POLICY, "hue"))))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("color");
  }
}
