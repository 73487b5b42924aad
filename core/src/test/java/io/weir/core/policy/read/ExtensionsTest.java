package io.weir.core.policy.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.core.policy.PartKey;
import io.weir.core.policy.Parts;
import io.weir.core.policy.PolicySection;
import io.weir.core.policy.PolicySection.Parent;
import io.weir.core.policy.schema.DocumentValue.Mapping;
import io.weir.core.policy.schema.DocumentValue.Text;
import io.weir.core.policy.schema.Field;
import io.weir.core.policy.schema.Position;
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
  private static final class Extension extends PolicySection<String> {
    private final Field<String> field;

    private Extension(String name, Parent parent, Field<String> field) {
      super(parent, new PartKey<>(name, String.class), field);
      this.field = field;
    }

    static Extension of(String name, Parent parent, String field) {
      return new Extension(name, parent, Field.name(field, "a text"));
    }

    @Override
    public Optional<String> read(Section section) {
      return section.find(field);
    }
  }

  private static Table table(Extensions extensions, Parent parent) {
    return Table.of("thing").with(extensions.fields(parent));
  }

  @Test
  void eachExtensionReadsItsFieldsOfItsParent() {
    Extension color = Extension.of("color", Parent.POLICY, "color");
    Extension sound = Extension.of("sound", Parent.OPERATION, "sound");
    Extensions extensions = new Extensions(List.of(sound, color));
    Mapping document =
        new Mapping(Position.START, Map.of("color", new Text(Position.START, "red")));
    Section section =
        Section.root(document, new Problems("test"), table(extensions, Parent.POLICY));
    Parts parts = extensions.read(Parent.POLICY, section);
    assertThat(parts.get(color.key())).contains("red");
    assertThat(parts.get(sound.key())).isEmpty();
  }

  @Test
  void twoExtensionsMayNotHaveOneField() {
    Extension color = Extension.of("color", Parent.POLICY, "tone");
    Extension sound = Extension.of("sound", Parent.POLICY, "tone");
    Extension elsewhere = Extension.of("other", Parent.OPERATION, "tone");
    assertThatThrownBy(() -> table(new Extensions(List.of(color, sound)), Parent.POLICY))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("tone");
    Extensions extensions = new Extensions(List.of(color, elsewhere));
    assertThat(extensions.fields(Parent.POLICY)).extracting(Field::name).containsExactly("tone");
    assertThat(extensions.fields(Parent.OPERATION)).extracting(Field::name).containsExactly("tone");
  }

  @Test
  void twoExtensionsMayNotHaveOneName() {
    assertThatThrownBy(() -> new Extensions(List.of(
            Extension.of("color", Parent.POLICY, "color"),
            Extension.of("color", Parent.POLICY, "hue"))))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("color");
  }
}
