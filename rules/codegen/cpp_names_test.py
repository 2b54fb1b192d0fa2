"""Tests of names in generated C++."""

from __future__ import annotations

import pytest

from rules.codegen.cpp_names import class_names
from rules.codegen.model import CodegenError, Model
from rules.interface.description import Interface, Memory, Method


def _model(prefix: str = "app_net", *methods: str, target: str = "//app:net_pte") -> Model:
    memory = Memory((), None, {}, (), (), ())
    found = tuple(Method(name, name, "", (), (), (), memory, (), False) for name in methods or ("forward",))
    return Model(Interface(target, "", 1, False, found, (), None), prefix, prefix)


def test_class_is_the_model_without_its_package() -> None:
    (names,) = class_names([_model()], "other/folder")
    assert (names.namespace, names.name) == ("other::folder", "Net")
    assert class_names([_model("classify")], "models/new")[0].namespace == "models::new_"
    assert class_names([_model()], "")[0].namespace == "models"
    assert class_names([_model("app_memory")], "app")[0].name == "Memory_"


def test_given_names_replace_defaults() -> None:
    (names,) = class_names([_model()], "app", "acme::vision", "Classifier")
    assert (names.namespace, names.name) == ("acme::vision", "Classifier")


@pytest.mark.parametrize(
    ("namespace", "name", "message"),
    [
        ("acme-vision", "", "cpp_namespace: 'acme-vision' cannot be a name in C"),
        ("acme::", "", "cpp_namespace: '' cannot be"),
        ("acme::new", "", "cpp_namespace: 'new' cannot be"),
        ("", "my class", "cpp_class: 'my class' cannot be"),
        ("acme", "Memory", "cpp_class: 'Memory' cannot be"),
    ],
)
def test_invalid_names_are_rejected(namespace: str, name: str, message: str) -> None:
    with pytest.raises(CodegenError, match=message):
        class_names([_model()], "app", namespace, name)


def test_method_does_not_hide_a_member() -> None:
    (names,) = class_names([_model("net", "create", "forward", "Net")], "app")
    assert names.members == {"create": "create_", "forward": "forward", "Net": "Net_"}


def test_methods_with_the_same_type_name_keep_their_identifiers() -> None:
    (names,) = class_names([_model("net", "a_b", "aB", "c")], "app")
    assert names.types == {"a_b": "a_b", "aB": "aB", "c": "C"}


def test_models_with_the_same_class_name_keep_their_prefixes() -> None:
    models = [_model("a_net", target="//a:net_pte"), _model("b_net", target="//b:net_pte"), _model("c_other")]
    assert [names.name for names in class_names(models, "app")] == ["a_net", "b_net", "COther"]
